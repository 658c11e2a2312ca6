// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/image_rows.hpp>
#include <ridgepoint/kernels/map/image_rows_kernels.hpp>
#include <ridgepoint/ops/pad_channels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const pad_channels_args<T>& a) {
  for_row_parts(on, a.y.rows, a.y.cols,
                [&](index_t begin, index_t end) { on.template call<kernels::pad_channels_rows<T>>(a, begin, end); });
}
template <std::floating_point T>
type_list<kernels::pad_channels_rows<T>> kernels_of(const pad_channels_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const pad_channels_backward_args<T>& a) {
  for_row_parts(on, a.dx.rows, a.dx.cols, [&](index_t begin, index_t end) {
    on.template call<kernels::pad_channels_backward_rows<T>>(a, begin, end);
  });
}
template <std::floating_point T>
type_list<kernels::pad_channels_backward_rows<T>> kernels_of(const pad_channels_backward_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
