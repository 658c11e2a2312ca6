// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ridgepoint/ops/geometry.hpp>

#include "support/tested_isa.hpp"

/// Poolings that are easy to get wrong: windows with gaps, adjacent, overlapping and as large as the image, with
/// padding on any side and beyond it, around the lanes of a register and the registers of a block, one pixel, no
/// pixels, and enough for several threads.
template <class T>
[[nodiscard]] std::vector<ridgepoint::pool2d_geometry> pool_geometries() {
  using ridgepoint::index_t;
  using geometry = ridgepoint::pool2d_geometry;
  constexpr auto up = ridgepoint::rounding_rule::up;
  const index_t lanes = tested::lanes<T>();
  std::vector<geometry> all{
      {.n = 1, .h = 1, .w = 1, .c = 1},
      {.n = 0, .h = 4, .w = 4, .c = 3, .kh = 2, .kw = 2},
      {.n = 2, .h = 7, .w = 7, .c = 5, .kh = 7, .kw = 7},
      {.n = 1, .h = 1, .w = 37, .c = 1, .kh = 1, .kw = 3, .stride = 2, .padding = {0, 0, 1, 1}},
      {.n = 2, .h = 28, .w = 28, .c = 70, .kh = 3, .kw = 3, .stride = 2, .padding = {0, 1, 0, 1}},
      {.n = 1, .h = 2, .w = 9, .c = 4, .kh = 3, .kw = 2, .stride = {2, 3}, .rounding = up},
  };
  for (const index_t c : {index_t{1}, index_t{2}, index_t{3}, lanes - 1, lanes, lanes + 1, 2 * lanes, 3 * lanes + 1,
                          4 * lanes, 7 * lanes - 1}) {
    if (c < 1) continue;
    all.push_back({.n = 2, .h = 6, .w = 9, .c = c, .kh = 2, .kw = 2, .stride = 2});
    all.push_back({.n = 2, .h = 6, .w = 8, .c = c, .kh = 2, .kw = 2, .stride = 2});
    all.push_back({.n = 1, .h = 7, .w = 7, .c = c, .kh = 3, .kw = 2, .stride = {3, 2}, .padding = {1, 1, 0, 1}});
    all.push_back({.n = 1, .h = 7, .w = 9, .c = c, .kh = 2, .kw = 2, .stride = 2, .rounding = up});
    all.push_back({.n = 1, .h = 7, .w = 8, .c = c, .kh = 3, .kw = 3, .stride = {2, 2}, .padding = {1, 1, 1, 1}});
    all.push_back({.n = 2, .h = 3, .w = 5, .c = c, .kh = 3, .kw = 5});
    all.push_back({.n = 1, .h = 3, .w = 4, .c = c, .kh = 5, .kw = 5, .padding = {1, 1, 0, 1}});
    all.push_back({.n = 1, .h = 5, .w = 6, .c = c, .kh = 3, .kw = 2, .stride = {1, 1}, .padding = {2, 1, 1, 0}});
    all.push_back({.n = 1, .h = 9, .w = 10, .c = c, .kh = 2, .kw = 3, .stride = {3, 4}, .padding = {0, 0, 0, 2}});
    all.push_back({.n = 1, .h = 6, .w = 7, .c = c, .kh = 4, .kw = 5, .stride = {1, 2}, .padding = {3, 3, 4, 4}});
    all.push_back({.n = 2, .h = 6, .w = 8, .c = c, .kh = 3, .kw = 3, .stride = 2, .rounding = up});
    all.push_back(
        {.n = 1, .h = 7, .w = 9, .c = c, .kh = 3, .kw = 4, .stride = 3, .padding = {1, 1, 1, 2}, .rounding = up});
  }
  return all;
}
