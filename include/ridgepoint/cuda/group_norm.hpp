// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/column_parts.hpp>
#include <ridgepoint/ops/group_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A block for each group of each image, `width` of its threads side by side over channels.
struct group_shape {
  launch_shape threads;
  unsigned width;
};
[[nodiscard]] inline group_shape shape_of(const cuda_context& on, const grouped_images& g) noexcept {
  const index_t each = g.channels / g.groups;
  const launch_shape threads = on.rows(g.images * g.groups, g.pixels.value * each);
  return {threads, (std::min)(threads.threads, static_cast<unsigned>(std::bit_ceil(static_cast<std::size_t>(each))))};
}

/// y, mean and inverse of group or layer normalisation, a group by a block.
template <class T, class Args>
void group_norm_forward(cuda_context& on, const grouped_images& g, const Args& a) {
  const group_shape shape = shape_of(on, g);
  if (g.images != 0)
    on.launch(group_norm_kernels<T>::forward, shape.threads, static_cast<T>(a.options.epsilon), g, shape.width, a.x,
              a.gamma, a.beta, a.y, a.mean, a.inverse);
}
/// The input of a normalisation and the gradient of its output as they are stored, the latter scaled if a state is
/// given.
template <class X>
struct stored_maps {
  const X *x = nullptr, *dy = nullptr;
  const step_state* scale_state = nullptr;
};
/// dgamma and dbeta of any normalisation: sums of parts of each channel, and of these, always in the same order.
template <class T, class Args, class X>
void group_norm_parameter_gradients(cuda_context& on, const grouped_images& g, const Args& a, const stored_maps<X>& of,
                                    void* workspace) {
  const column_shape shape = on.columns(g.images * g.pixels.value, g.channels);
  T* const parts = static_cast<T*>(workspace);
  on.launch(statistics_kernels<T, X>::gradient_sums, shape.threads, g, shape.width, of.x, a.mean, a.inverse, of.dy,
            of.scale_state, parts);
  gather_columns(on, shape, g.channels, parts, a.dbeta, a.dgamma, g.channels);
}
/// dx of group or layer normalisation, a group by a block.
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
/// dgamma and dbeta before dx, which may be dy.
template <class T>
void execute(cuda_context& on, const group_norm_backward_args<T>& a, void* workspace) {
  const grouped_images g{a.images, a.pixels, a.channels, a.groups};
  group_norm_parameter_gradients<T>(on, g, a, stored_maps<T>{a.x, a.dy}, workspace);
  group_norm_input_gradient<T>(on, g, a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
