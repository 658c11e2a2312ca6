// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/ops/adadelta.hpp>
#include <ridgepoint/ops/adam.hpp>
#include <ridgepoint/ops/momentum.hpp>
#include <ridgepoint/ops/optimiser.hpp>
#include <ridgepoint/ops/rmsprop_keras.hpp>
#include <ridgepoint/ops/rmsprop_tf1.hpp>
#include <ridgepoint/ops/sgd.hpp>
#include <ridgepoint/ops/step_state.hpp>
#include <ridgepoint/ops/sum_of_squares.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Returns the launch shape for the weights that an update touches.
template <class Args>
[[nodiscard]] launch_shape update_shape(const cuda_context& on, const Args& u) {
  return on.loop(static_cast<index_t>(touched_weights(u)));
}

template <class T>
void execute(cuda_context& on, const adadelta_update_args<T>& u, void*) {
  on.launch(update_kernels<T>::adadelta, update_shape(on, u), static_cast<T>(u.options.rho),
            static_cast<T>(1 - u.options.rho), static_cast<T>(u.options.epsilon), u.size, u.w, u.g, u.a, u.d, u.state,
            u.rule, u.listed);
}

template <class T>
void execute(cuda_context& on, const adam_update_args<T>& u, void*) {
  on.launch(update_kernels<T>::adam, update_shape(on, u), u.options.beta1, u.options.beta2,
            static_cast<T>(1 - u.options.beta1), static_cast<T>(1 - u.options.beta2), static_cast<T>(u.options.epsilon),
            u.size, u.w, u.g, u.m, u.v, u.state, u.rule, u.listed);
}

template <class T>
void execute(cuda_context& on, const momentum_update_args<T>& u, void*) {
  on.launch(update_kernels<T>::momentum, update_shape(on, u), static_cast<T>(u.options.momentum), u.size, u.w, u.g, u.a,
            u.state, u.rule, u.listed);
}

template <class T>
void execute(cuda_context& on, const rmsprop_keras_update_args<T>& u, void*) {
  on.launch(update_kernels<T>::rmsprop_keras, update_shape(on, u), static_cast<T>(u.options.rho),
            static_cast<T>(1 - u.options.rho), static_cast<T>(u.options.epsilon), u.size, u.w, u.g, u.a, u.state,
            u.rule, u.listed);
}

template <class T>
void execute(cuda_context& on, const rmsprop_tf1_update_args<T>& u, void*) {
  on.launch(update_kernels<T>::rmsprop_tf1, update_shape(on, u), static_cast<T>(1 - u.options.rho),
            static_cast<T>(u.options.momentum), static_cast<T>(u.options.epsilon), u.size, u.w, u.g, u.ms, u.mom,
            u.state, u.rule, u.listed);
}

template <class T>
void execute(cuda_context& on, const sgd_update_args<T>& u, void*) {
  on.launch(update_kernels<T>::sgd, update_shape(on, u), u.size, u.w, u.g, u.state, u.rule, u.listed);
}

/// step ← step + 1, learning_rate ← rate(step), and updates the loss scale; one thread on the device.
inline void execute(cuda_context& on, const advance_args& a, void*) {
  on.launch(untyped_kernels::advance, {}, a.state, a.schedule, a.steps_to_grow);
}

/// Returns the bytes of one sum per block.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const sum_of_squares_args<T>& a) {
  return on.loop(a.size).blocks * sizeof(double);
}
template <class T>
void execute(cuda_context& on, const sum_of_squares_args<T>& a, void* workspace) {
  const launch_shape shape = on.loop(a.size);
  auto* const parts = static_cast<double*>(workspace);
  on.launch(reduction_kernels<T>::square_parts, shape, a.size, a.x, parts);
  on.launch(untyped_kernels::gather_squares, {.threads = block_threads}, shape.blocks, parts, a.accumulate ? 1.0 : 0.0,
            a.state);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
