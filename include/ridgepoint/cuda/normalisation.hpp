// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/batch_norm.hpp>
#include <ridgepoint/ops/fold_batch_norm.hpp>
#include <ridgepoint/ops/group_norm.hpp>
#include <ridgepoint/ops/layer_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Returns the bytes of two sums for every column and part of its rows.
template <class T>
[[nodiscard]] std::size_t column_parts_bytes(const column_shape& shape, index_t cols) {
  return 2 * static_cast<std::size_t>(shape.parts * cols) * sizeof(compute_t<T>);
}
template <class T>
[[nodiscard]] std::size_t column_parts_bytes(const cuda_context& on, index_t rows, index_t cols) {
  return column_parts_bytes<T>(on.columns(rows, cols), cols);
}
/// first(column) and, for the first `seconds` columns, second(column) ← the sums of their parts.
template <class T>
void gather_columns(cuda_context& on, const column_shape& shape, index_t cols, const compute_t<T>* parts, T* first,
                    T* second, index_t seconds) {
  on.launch(column_kernels<T>::gather_columns, shape.gathering(), cols, shape.width, shape.parts, parts, first, second,
            seconds);
}

/// One block per group of each image; `width` adjacent threads take adjacent channels.
struct group_shape {
  launch_shape threads;
  unsigned width;
};
[[nodiscard]] inline group_shape shape_of(const cuda_context& on, const grouped_images& g) noexcept {
  const index_t each = g.channels / g.groups;
  const launch_shape threads = on.rows(g.images * g.groups, g.pixels.value * each);
  return {threads, (std::min)(threads.threads, static_cast<unsigned>(std::bit_ceil(static_cast<std::size_t>(each))))};
}

/// Computes y, mean and inverse of group or layer normalisation, one block per group.
template <class T, class Args>
void group_norm_forward(cuda_context& on, const grouped_images& g, const Args& a) {
  const group_shape shape = shape_of(on, g);
  if (g.images != 0)
    on.launch(group_norm_kernels<T>::forward, shape.threads, static_cast<T>(a.options.epsilon), g, shape.width, a.x,
              a.gamma, a.beta, a.y, a.mean, a.inverse);
}
/// The stored input of a normalisation and the stored gradient of its output; the gradient is scaled if scale_state is
/// set.
template <class X>
struct stored_maps {
  const X *x = nullptr, *dy = nullptr;
  const step_state* scale_state = nullptr;
};
/// Computes dgamma and dbeta of any normalisation: sums over parts of each channel, then their totals, always in the
/// same order.
template <class T, class Args, class X>
void group_norm_parameter_gradients(cuda_context& on, const grouped_images& g, const Args& a, const stored_maps<X>& of,
                                    void* workspace) {
  const column_shape shape = on.columns(g.images * g.pixels.value, g.channels);
  T* const parts = static_cast<T*>(workspace);
  on.launch(statistics_kernels<T, X>::gradient_sums, shape.threads, g, shape.width, of.x, a.mean, a.inverse, of.dy,
            of.scale_state, parts);
  gather_columns(on, shape, g.channels, parts, a.dbeta, a.dgamma, g.channels);
}
/// Computes dx of group or layer normalisation, one block per group.
template <class T, class Args>
void group_norm_input_gradient(cuda_context& on, const grouped_images& g, const Args& a) {
  const group_shape shape = shape_of(on, g);
  if (a.dx != nullptr && g.images != 0)
    on.launch(group_norm_kernels<T>::backward, shape.threads, g, shape.width, a.x, a.gamma, a.mean, a.inverse, a.dy,
              a.dx);
}

template <class T>
void execute(cuda_context& on, const group_norm_args<T>& a, void*) {
  group_norm_forward<T>(on, {a.images, a.pixels, a.channels, a.options.groups}, a);
}
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const group_norm_backward_args<T>& a) {
  return column_parts_bytes<T>(on, a.images * a.pixels, a.channels);
}
/// Computes dgamma and dbeta before dx, which may be dy.
template <class T>
void execute(cuda_context& on, const group_norm_backward_args<T>& a, void* workspace) {
  const grouped_images g{a.images, a.pixels, a.channels, a.groups};
  group_norm_parameter_gradients<T>(on, g, a, stored_maps<T>{a.x, a.dy}, workspace);
  group_norm_input_gradient<T>(on, g, a);
}

/// Returns rows as images of one pixel with all channels in one group.
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
/// Computes dgamma and dbeta before dx, which may be dy.
template <class T>
void execute(cuda_context& on, const layer_norm_backward_args<T>& a, void* workspace) {
  group_norm_parameter_gradients<T>(on, rows_as_images(a.rows, a.channels), a, stored_maps<T>{a.x, a.dy}, workspace);
  group_norm_input_gradient<T>(on, rows_as_images(a.rows, a.channels), a);
}

/// Returns the bytes of two sums for every part of a column and of the three scales per channel.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const batch_norm_args<T>& a) {
  return column_parts_bytes<T>(on, a.rows, a.channels) + 3 * static_cast<std::size_t>(a.channels) * sizeof(T);
}
/// Runs the first passes: workspace(0, 1 and 2, channel) ← centre, rest and gamma·inverse, from the sums of each
/// channel of the stored x about a centre estimated from some of its rows.
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
/// Runs the first passes: dgamma and dbeta, computed as for one image with a group per channel.
template <class T, class X>
void find_parameter_gradients(cuda_context& on, const batch_norm_backward_args<T>& a, const stored_maps<X>& of,
                              void* workspace) {
  group_norm_parameter_gradients<T>(on, {1, a.rows, a.channels, a.channels}, a, of, workspace);
}
/// Computes dgamma and dbeta, then dx from them.
template <class T>
void execute(cuda_context& on, const batch_norm_backward_args<T>& a, void* workspace) {
  find_parameter_gradients(on, a, stored_maps<T>{a.x, a.dy}, workspace);
  const column_shape shape = on.columns(a.rows, a.channels);
  if (a.dx != nullptr)
    on.launch(batch_norm_kernels<T>::backward, shape.threads, a.rows, a.channels, shape.width, a.x, a.gamma, a.mean,
              a.inverse, a.dgamma, a.dbeta, a.dy, a.dx);
}

/// y ← x·scale + shift, one kernel.
template <class T>
void execute(cuda_context& on, const batch_norm_inference_args<T>& a, void*) {
  const column_shape shape = on.columns(a.rows, a.channels);
  on.launch(batch_norm_kernels<T>::inference, shape.threads, static_cast<T>(a.options.epsilon), a.rows, a.channels,
            shape.width, a.x, a.gamma, a.beta, a.mean, a.variance, a.y);
}

/// folded_w ← w·scale and folded_bias ← beta + (bias − mean)·scale, by one kernel.
template <class T>
void execute(cuda_context& on, const fold_batch_norm_args<T>& a, void*) {
  const column_shape shape = on.columns(a.lines, a.channels);
  on.launch(batch_norm_kernels<T>::fold, shape.threads, static_cast<T>(a.options.epsilon), a.lines, a.channels,
            shape.width, a.w, a.bias, a.gamma, a.beta, a.mean, a.variance, a.folded_w, a.folded_bias);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
