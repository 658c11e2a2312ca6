// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/group_norm.hpp>
#include <ridgepoint/ops/batch_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Two sums for every part of a column, and what becomes of them.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const batch_norm_args<T>& a) {
  return column_parts_bytes<T>(on, a.rows, a.channels) + 3 * static_cast<std::size_t>(a.channels) * sizeof(T);
}
/// The first passes: workspace(0, 1 and 2, channel) ← centre, rest and gamma·inverse, from the sums of each channel
/// about a centre that some of its rows give, of x as it is stored.
template <class T, class X>
void find_scales(cuda_context& on, const batch_norm_args<T>& a, const X* x, void* workspace) {
  using kernels = statistics_kernels<T, X>;
  const index_t rows = a.rows, c = a.channels;
  const column_shape shape = on.columns(rows, c);
  T* const scaled = static_cast<T*>(workspace);
  T* const parts = workspace == nullptr ? nullptr : scaled + 3 * c;
  on.launch(kernels::sums, shape.threads, rows, c, shape.width, x, parts);
  on.launch(kernels::moments, shape.gathering(), static_cast<T>(1 - a.options.momentum),
            static_cast<T>(a.options.epsilon), rows, c, shape.width, shape.parts, x, a.gamma, parts, a.mean, a.inverse,
            a.moving_mean, a.moving_variance, scaled);
}
/// Reads x twice: for the sums, and for y.
template <class T>
void execute(cuda_context& on, const batch_norm_args<T>& a, void* workspace) {
  find_scales(on, a, a.x, workspace);
  const column_shape shape = on.columns(a.rows, a.channels);
  on.launch(batch_norm_kernels<T>::forward, shape.threads, a.rows, a.channels, shape.width, a.x,
            static_cast<const T*>(workspace), a.beta, a.y);
}

template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const batch_norm_backward_args<T>& a) {
  return column_parts_bytes<T>(on, a.rows, a.channels);
}
/// The first passes: dgamma and dbeta as those of an image whose channels are groups of their own.
template <class T, class X>
void find_parameter_gradients(cuda_context& on, const batch_norm_backward_args<T>& a, const stored_maps<X>& of,
                              void* workspace) {
  group_norm_parameter_gradients<T>(on, {1, a.rows, a.channels, a.channels}, a, of, workspace);
}
/// dgamma and dbeta, then dx from them.
template <class T>
void execute(cuda_context& on, const batch_norm_backward_args<T>& a, void* workspace) {
  find_parameter_gradients(on, a, stored_maps<T>{a.x, a.dy}, workspace);
  const column_shape shape = on.columns(a.rows, a.channels);
  if (a.dx != nullptr)
    on.launch(batch_norm_kernels<T>::backward, shape.threads, a.rows, a.channels, shape.width, a.x, a.gamma, a.mean,
              a.inverse, a.dgamma, a.dbeta, a.dy, a.dx);
}

/// y ← x·scale + shift, a pass of one kernel.
template <class T>
void execute(cuda_context& on, const batch_norm_inference_args<T>& a, void*) {
  const column_shape shape = on.columns(a.rows, a.channels);
  on.launch(batch_norm_kernels<T>::inference, shape.threads, static_cast<T>(a.options.epsilon), a.rows, a.channels,
            shape.width, a.x, a.gamma, a.beta, a.mean, a.variance, a.y);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
