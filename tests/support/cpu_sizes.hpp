// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ridgepoint/cpu/parts.hpp>

#include "support/agreement.hpp"
#include "support/cpu_copies.hpp"

/// Sizes around a register, around the unrolled loop, and around the parts that threads share.
template <class T>
[[nodiscard]] std::vector<ridgepoint::index_t> cpu_sizes() {
  using agreement::around;
  std::vector<ridgepoint::index_t> sizes = around(ridgepoint::simd::lanes<T>);
  for (const ridgepoint::index_t size : around(4 * ridgepoint::simd::lanes<T>)) sizes.push_back(size);
  for (const ridgepoint::index_t size : around(ridgepoint::part_elements)) sizes.push_back(size);
  std::erase(sizes, 0);
  return sizes;
}
/// A size whose loop has a body and a tail.
template <class T>
inline constexpr ridgepoint::index_t body_and_tail =
    4 * ridgepoint::simd::lanes<T> + ridgepoint::simd::lanes<T> / 2 + 1;
