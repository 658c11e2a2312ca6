// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <vector>

#include <ridgepoint/ops/max_pool2d.hpp>
#include <ridgepoint/reference/window.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(n, o, c) ← max over taps of x(n, input of the tap, c), −∞ beside the image; the first of equal ones, or a NaN.
template <scalar T>
void execute(const reference_backend&, const max_pool2d_args<T>& a) {
  using wide = accumulator_t<T>;
  const pool2d_geometry& g = a.geometry;
  const auto lowest = static_cast<wide>(-std::numeric_limits<double>::infinity());
  detail::for_each_output(g, [&](index_t n, index_t output, auto&& taps) {
    for (index_t c = 0; c < g.c; ++c) {
      wide best = lowest;
      index_t best_tap = -1;
      taps([&](index_t tap, index_t pixel) {
        const wide x = pixel < 0 ? lowest : wide(a.x[(n * g.h * g.w + pixel) * g.c + c]);
        const bool larger = x > best, first = best_tap < 0 && pixel >= 0, nan = !exactly(x, x);
        if (larger || first || nan) best = x, best_tap = tap;
      });
      a.y[output * g.c + c] = T(best);
      if (a.index != nullptr) a.index[output * g.c + c] = static_cast<std::uint8_t>(best_tap);
    }
  });
}

/// dx(n, input of tap index(n, o, c), c) += dy(n, o, c), summed in double.
template <scalar T>
void execute(const reference_backend&, const max_pool2d_backward_args<T>& a) {
  using wide = accumulator_t<T>;
  const pool2d_geometry& g = a.geometry;
  std::vector<wide> dx(static_cast<std::size_t>(g.input_size()), wide(0));
  detail::for_each_output(g, [&](index_t n, index_t output, auto&& taps) {
    for (index_t c = 0; c < g.c; ++c) {
      wide none(0);
      wide* sum = &none;
      taps([&](index_t tap, index_t pixel) {
        if (tap == a.index[output * g.c + c] && pixel >= 0)
          sum = &dx[static_cast<std::size_t>((n * g.h * g.w + pixel) * g.c + c)];
      });
      *sum = *sum + wide(a.dy[output * g.c + c]);
    }
  });
  for (index_t i = 0; i < g.input_size(); ++i) a.dx[i] = T(dx[static_cast<std::size_t>(i)]);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
