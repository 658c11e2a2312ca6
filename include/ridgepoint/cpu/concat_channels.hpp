// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/image_rows.hpp>
#include <ridgepoint/kernels/map/copy.hpp>
#include <ridgepoint/ops/concat_channels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const concat_channels_args<T>& c) {
  for_image_rows(on, 1, c.y.rows, c.y.cols, [&](index_t, index_t i) {
    T* const y = c.y.data + i * c.y.row_stride;
    kernels::copy(c.a.data + i * c.a.row_stride, y, c.a.cols);
    kernels::copy(c.b.data + i * c.b.row_stride, y + c.a.cols, c.b.cols);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
