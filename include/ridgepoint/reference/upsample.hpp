// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ridgepoint/ops/upsample.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// use(output element, row taps, column taps, input element of a row and a column) for every output.
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

/// y ← x of the pixel, or the blend of rows of each of two columns, blended, in double.
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
