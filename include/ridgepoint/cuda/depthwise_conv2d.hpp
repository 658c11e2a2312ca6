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

/// Taps of a filter of which a thread has the sums at once, as device/depthwise.hpp has them.
inline constexpr index_t taps_of_a_thread = 9;

/// Blocks over the outputs, a column for so many taps of a filter; and over the filter's elements, so many parts.
struct depthwise_sums_shape {
  column_shape over_outputs, over_parts;

  depthwise_sums_shape(const cuda_context& on, const depthwise_geometry& g)
      : over_outputs(on.columns(g.n * g.oh() * g.ow(), ceil_div(g.kh * g.kw, taps_of_a_thread) * g.f())),
        over_parts(over_outputs) {
    const index_t tiles = ceil_div(g.filter_size(), static_cast<index_t>(over_parts.width));
    over_parts.threads.blocks = static_cast<unsigned>(tiles * over_parts.parts);
  }
};
/// Two sums for every part of an element of the filter.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const depthwise_conv2d_backward_weights_args<T>& a) {
  return column_parts_bytes<T>(depthwise_sums_shape(on, a.geometry).over_parts, a.geometry.filter_size());
}
/// dw and db as sums over outputs, in parts, and of these.
template <class T>
void execute(cuda_context& on, const depthwise_conv2d_backward_weights_args<T>& a, void* workspace) {
  const depthwise_geometry& g = a.geometry;
  const depthwise_sums_shape shape(on, g);
  auto* const parts = static_cast<compute_t<T>*>(workspace);
  on.launch(depthwise_kernels<T>::sums, shape.over_outputs.threads, windows_of(g), g.multiplier, g.f(),
            shape.over_outputs.width, a.x, a.dy, parts);
  gather_columns(on, shape.over_parts, g.filter_size(), parts, a.dw, a.db, a.db == nullptr ? index_t{0} : g.f());
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
