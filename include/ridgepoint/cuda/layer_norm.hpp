// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/group_norm.hpp>
#include <ridgepoint/ops/layer_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Rows as images of one pixel, all channels one group.
[[nodiscard]] inline grouped_images rows_as_images(index_t rows, index_t channels) noexcept {
  return {rows, 1, channels, 1};
}
template <class T>
void execute(cuda_context& on, const layer_norm_args<T>& a, void*) {
  group_norm_forward<T>(on, rows_as_images(a.rows, a.channels), a);
}
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const layer_norm_backward_args<T>& a) {
  return column_parts_bytes<T>(on, a.rows, a.channels);
}
/// dgamma and dbeta before dx, which may be dy.
template <class T>
void execute(cuda_context& on, const layer_norm_backward_args<T>& a, void* workspace) {
  group_norm_parameter_gradients<T>(on, rows_as_images(a.rows, a.channels), a, stored_maps<T>{a.x, a.dy}, workspace);
  group_norm_input_gradient<T>(on, rows_as_images(a.rows, a.channels), a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
