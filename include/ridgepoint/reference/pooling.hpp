// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <vector>

#include <ridgepoint/ops/avg_pool2d.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>
#include <ridgepoint/ops/upsample.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {
/// 1 / (number of taps in the mean of an output's window): taps on the image, or on the image and its padding.
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

/// y(n, o, c) ← Σ_taps x(n, input of the tap, c) / taps that count, summed in double; x is 0 outside the image.
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

/// dx(n, input of the tap, c) += dy(n, o, c) / taps that count, summed in double; outside the image it is dropped.
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
        wide dropped(0);
        wide& sum = pixel < 0 ? dropped : dx[static_cast<std::size_t>((n * g.h * g.w + pixel) * g.c + c)];
        sum = sum + dy;
      });
    }
  });
  for (index_t i = 0; i < g.input_size(); ++i) a.dx[i] = T(dx[static_cast<std::size_t>(i)]);
}

/// y(n, o, c) ← max over taps of x(n, input of the tap, c), −∞ outside the image; the first of equal values, or a NaN.
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

namespace detail {
/// Calls use(output element, row taps, column taps, input element of a row and a column) for every output.
template <class Args, class Use>
void for_each_enlarged(const Args& a, const Use& use) {
  const index_t fh = a.options.factor.h, fw = a.options.factor.w;
  index_t output = 0;
  for (index_t n = 0; n < a.n; ++n)
    for (index_t oh = 0; oh < fh * a.h; ++oh)
      for (index_t ow = 0; ow < fw * a.w; ++ow)
        for (index_t c = 0; c < a.c; ++c)
          use(output++, taps_of(oh, a.h, fh, a.options.how), taps_of(ow, a.w, fw, a.options.how),
              [&](index_t h, index_t w) { return ((n * a.h + h) * a.w + w) * a.c + c; });
}
}  // namespace detail

/// y ← x of the pixel, or the bilinear blend: rows within each of two columns, then the columns, in double.
template <scalar T>
void execute(const reference_backend&, const upsample_args<T>& a) {
  using wide = accumulator_t<T>;
  const auto blend = [](const upsample_taps& t, const wide& first, const wide& second) {
    return first * wide(t.weight[0]) + second * wide(t.weight[1]);
  };
  detail::for_each_enlarged(
      a, [&](index_t to, const upsample_taps& rows, const upsample_taps& columns, const auto& at) {
        const auto x = [&](int row, int column) { return wide(a.x[at(rows.at[row], columns.at[column])]); };
        if (rows.count == 1) a.y[to] = T(x(0, 0));
        else a.y[to] = T(blend(columns, blend(rows, x(0, 0), x(1, 0)), blend(rows, x(0, 1), x(1, 1))));
      });
}

/// dx ← Σ dy·(weight of the row · weight of the column), in double.
template <scalar T>
void execute(const reference_backend&, const upsample_backward_args<T>& a) {
  using wide = accumulator_t<T>;
  std::vector<wide> dx(static_cast<std::size_t>(a.n * a.h * a.w * a.c), wide(0));
  detail::for_each_enlarged(a,
                            [&](index_t from, const upsample_taps& rows, const upsample_taps& columns, const auto& at) {
                              const wide dy(a.dy[from]);
                              for (int i = 0; i < rows.count; ++i)
                                for (int j = 0; j < columns.count; ++j) {
                                  wide& sum = dx[static_cast<std::size_t>(at(rows.at[i], columns.at[j]))];
                                  if (rows.count == 1) sum = sum + dy;
                                  else sum = sum + dy * wide(rows.weight[i] * columns.weight[j]);
                                }
                            });
  for (std::size_t i = 0; i < dx.size(); ++i) a.dx[i] = T(dx[i]);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
