// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/cpu/image_rows.hpp>
#include <ridgepoint/kernels/map/blend.hpp>
#include <ridgepoint/ops/upsample.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A row of y: the two rows of x blended into one, which stays in L1, then its pixels side by side.
template <std::floating_point T>
void execute(const native_cpu& on, const upsample_args<T>& a) {
  const index_t fh = a.options.factor.h, fw = a.options.factor.w;
  const index_t rows = fh * a.h, columns = fw * a.w, row_size = a.w * a.c;
  for_image_rows(on, a.n, rows, columns * a.c, [&](index_t image, index_t oh) {
    struct of_row;
    const upsample_taps v = taps_of(oh, a.h, fh, a.options.how);
    const auto x_row = [&](int tap) { return a.x + (image * a.h + v.at[tap]) * row_size; };
    const T* row = x_row(0);
    if (v.count == 2) {
      T* const both = thread_scratch_of<of_row, T>(row_size);
      kernels::blend(static_cast<T>(v.weight[0]), row, static_cast<T>(v.weight[1]), x_row(1), both, row_size);
      row = both;
    }
    T* y = a.y + (image * rows + oh) * columns * a.c;
    for (index_t ow = 0; ow < columns; ++ow, y += a.c) {
      const upsample_taps t = taps_of(ow, a.w, fw, a.options.how);
      const T* const first = row + t.at[0] * a.c;
      if (t.count == 1) kernels::copy(first, y, a.c);
      else kernels::blend(static_cast<T>(t.weight[0]), first, static_cast<T>(t.weight[1]), row + t.at[1] * a.c, y, a.c);
    }
  });
}

/// A row of dx: the rows of dy that it takes part in summed up into one, which stays in L1, then its pixels'.
template <std::floating_point T>
void execute(const native_cpu& on, const upsample_backward_args<T>& a) {
  const index_t fh = a.options.factor.h, fw = a.options.factor.w;
  const index_t rows = fh * a.h, row_size = fw * a.w * a.c;
  const upsampling how = a.options.how;
  const auto add = [](const upsample_taps& t, index_t pixel, const T* from, T* sum, index_t size) {
    for (int tap = 0; tap < t.count; ++tap)
      if (t.at[tap] == pixel) kernels::add_weighted(static_cast<T>(t.weight[tap]), from, sum, size);
  };
  for_image_rows(on, a.n, a.h, fh * row_size, [&](index_t image, index_t h) {
    struct of_row;
    T* const row = thread_scratch_of<of_row, T>(row_size);
    kernels::clear(row, row_size);
    const upsample_reach above = reach_of(h, a.h, fh, how);
    for (index_t oh = above.first; oh < above.end; ++oh)
      add(taps_of(oh, a.h, fh, how), h, a.dy + (image * rows + oh) * row_size, row, row_size);
    T* dx = a.dx + (image * a.h + h) * a.w * a.c;
    for (index_t w = 0; w < a.w; ++w, dx += a.c) {
      kernels::clear(dx, a.c);
      const upsample_reach beside = reach_of(w, a.w, fw, how);
      for (index_t ow = beside.first; ow < beside.end; ++ow) add(taps_of(ow, a.w, fw, how), w, row + ow * a.c, dx, a.c);
    }
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
