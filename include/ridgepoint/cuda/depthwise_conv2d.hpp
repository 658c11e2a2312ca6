// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/column_parts.hpp>
#include <ridgepoint/ops/depthwise_conv2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y ← every channel of x convolved with its filters, an output by a thread.
template <class T>
void execute(cuda_context& on, const depthwise_conv2d_args<T>& a, void*) {
  const depthwise_geometry& g = a.geometry;
  if (g.n != 0)
    on.launch(depthwise_kernels<T>::forward, on.loop(g.output_size()), windows_of(g), g.multiplier, g.f(), a.x, a.w,
              a.bias, a.y);
}
/// dx ← Σ dy·w: each input looks at the outputs that read it, always in one order.
template <class T>
void execute(cuda_context& on, const depthwise_conv2d_backward_data_args<T>& a, void*) {
  const depthwise_geometry& g = a.geometry;
  if (g.n != 0)
    on.launch(depthwise_kernels<T>::backward_data, on.loop(g.input_size()), windows_of(g), g.multiplier, a.dy, a.w,
              a.dx);
}

/// Two sums for every part of an element of the filter.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const depthwise_conv2d_backward_weights_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  return column_parts_bytes<T>(on, g.n * g.oh() * g.ow(), g.filter_size());
}
/// dw and db as sums over outputs, in parts, and of these.
template <class T>
void execute(cuda_context& on, const depthwise_conv2d_backward_weights_args<T>& a, void* workspace) {
  const depthwise_geometry& g = a.geometry;
  const column_shape shape = on.columns(g.n * g.oh() * g.ow(), g.filter_size());
  auto* const parts = static_cast<compute_t<T>*>(workspace);
  on.launch(depthwise_kernels<T>::sums, shape.threads, windows_of(g), g.multiplier, g.f(), shape.width, a.x, a.dy,
            parts);
  gather_columns(on, shape, g.filter_size(), parts, a.dw, a.db, a.db == nullptr ? index_t{0} : g.f());
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
