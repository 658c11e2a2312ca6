// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ridgepoint/ops/avg_pool2d.hpp>
#include <ridgepoint/reference/window.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {
/// One over what a mean counts of the window of an output: its taps on the image, or on that and its padding.
template <class Taps>
[[nodiscard]] double inverse_of_counted(const pool2d_geometry& g, mean_over over, index_t output, Taps&& taps) {
  const index_t row = output / g.ow() % g.oh(), column = output % g.ow();
  index_t counted = 0;
  taps([&](index_t tap, index_t pixel) {
    const bool padded = g.rows().input(row, tap / g.kw) < g.h + g.padding.bottom &&
                        g.columns().input(column, tap % g.kw) < g.w + g.padding.right;
    counted += pixel >= 0 || (over == mean_over::window && padded) ? 1 : 0;
  });
  return 1.0 / static_cast<double>(counted);
}
}  // namespace detail

/// y(n, o, c) ← Σ_taps x(n, input of the tap, c) / taps that count, summed in double; x is 0 beside the image.
template <scalar T>
void execute(const reference_backend&, const avg_pool2d_args<T>& a) {
  using wide = accumulator_t<T>;
  const pool2d_geometry& g = a.geometry;
  detail::for_each_output(g, [&](index_t n, index_t output, auto&& taps) {
    const auto share = static_cast<wide>(detail::inverse_of_counted(g, a.over, output, taps));
    for (index_t c = 0; c < g.c; ++c) {
      wide sum(0);
      taps([&](index_t, index_t pixel) {
        sum = sum + (pixel < 0 ? wide(0) : wide(a.x[(n * g.h * g.w + pixel) * g.c + c]));
      });
      a.y[output * g.c + c] = T(sum * share);
    }
  });
}

/// dx(n, input of the tap, c) += dy(n, o, c) / taps that count, summed in double; what falls beside is dropped.
template <scalar T>
void execute(const reference_backend&, const avg_pool2d_backward_args<T>& a) {
  using wide = accumulator_t<T>;
  const pool2d_geometry& g = a.geometry;
  std::vector<wide> dx(static_cast<std::size_t>(g.input_size()), wide(0));
  detail::for_each_output(g, [&](index_t n, index_t output, auto&& taps) {
    const auto share = static_cast<wide>(detail::inverse_of_counted(g, a.over, output, taps));
    for (index_t c = 0; c < g.c; ++c) {
      const wide dy = wide(a.dy[output * g.c + c]) * share;
      taps([&](index_t, index_t pixel) {
        wide beside(0);
        wide& sum = pixel < 0 ? beside : dx[static_cast<std::size_t>((n * g.h * g.w + pixel) * g.c + c)];
        sum = sum + dy;
      });
    }
  });
  for (index_t i = 0; i < g.input_size(); ++i) a.dx[i] = T(dx[static_cast<std::size_t>(i)]);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
