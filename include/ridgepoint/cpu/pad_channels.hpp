// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/image_rows.hpp>
#include <ridgepoint/kernels/map/copy.hpp>
#include <ridgepoint/ops/pad_channels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const pad_channels_args<T>& a) {
  const index_t after = a.before + a.x.cols;
  for_image_rows(on, 1, a.y.rows, a.y.cols, [&](index_t, index_t i) {
    T* const y = a.y.data + i * a.y.row_stride;
    kernels::clear(y, a.before);
    kernels::copy(a.x.data + i * a.x.row_stride, y + a.before, a.x.cols);
    kernels::clear(y + after, a.y.cols - after);
  });
}

template <std::floating_point T>
void execute(const native_cpu& on, const pad_channels_backward_args<T>& a) {
  for_image_rows(on, 1, a.dx.rows, a.dx.cols, [&](index_t, index_t i) {
    kernels::copy(a.dy.data + i * a.dy.row_stride + a.before, a.dx.data + i * a.dx.row_stride, a.dx.cols);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
