// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/image_rows.hpp>
#include <ridgepoint/kernels/map/image_rows_kernels.hpp>
#include <ridgepoint/ops/concat_channels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const concat_channels_args<T>& c) {
  for_row_parts(on, c.y.rows, c.y.cols,
                [&](index_t begin, index_t end) { on.template call<kernels::concat_channels_rows<T>>(c, begin, end); });
}
template <std::floating_point T>
type_list<kernels::concat_channels_rows<T>> kernels_of(const concat_channels_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
