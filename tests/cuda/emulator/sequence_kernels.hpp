// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/attention.hpp>
#include <ridgepoint/cuda/device/gru.hpp>
#include <ridgepoint/cuda/device/library_recurrent.hpp>
#include <ridgepoint/cuda/device/recurrent.hpp>
#include <ridgepoint/cuda/device/sequences.hpp>
#include <ridgepoint/cuda/runtime/sequence_kernels.hpp>

static_assert(sizeof(ridgepoint_device::heads<float>) == sizeof(ridgepoint::detail::device_heads<float>));
static_assert(offsetof(ridgepoint_device::heads<float>, head) ==
              offsetof(ridgepoint::detail::device_heads<float>, head));
static_assert(offsetof(ridgepoint_device::attention_extents, lengths) ==
              offsetof(ridgepoint::detail::device_attention, lengths));
static_assert(offsetof(ridgepoint_device::attention_extents, causal) ==
              offsetof(ridgepoint::detail::device_attention, causal));
static_assert(sizeof(ridgepoint_device::placed_weights<float>) == sizeof(ridgepoint::detail::placed_weights<float>));
static_assert(offsetof(ridgepoint_device::placed_weights<float>, each) ==
              offsetof(ridgepoint::detail::placed_weights<float>, each));
static_assert(offsetof(ridgepoint_device::placed_weight<float>, col_stride) ==
              offsetof(ridgepoint::detail::placed_weight<float>, col_stride));

/// add(kernel as the host has it, kernel of the device) of all those for sequences of T; those without a type come with
/// float's.
template <class T, class Add>
void each_sequence_kernel(const Add& add) {
  namespace device = ridgepoint_device;
  namespace host = ridgepoint::detail;
  using sequences = host::sequence_kernels<T>;
  add(sequences::embedding, device::embedding<T>);
  add(sequences::embedding_sums, device::embedding_sums<T>);
  add(sequences::zeros, device::zeros<T>);
  add(sequences::embedding_backward, device::embedding_backward<T>);
  add(sequences::positions, device::positions<T>);
  add(sequences::scaled, device::scaled<T>);
  add(sequences::dense_copy, device::dense_copy<T>);
  using recurrent = host::recurrent_kernels<T>;
  add(recurrent::rnn_step, device::rnn_step<T>);
  add(recurrent::rnn_step_back, device::rnn_step_back<T>);
  add(recurrent::lstm_step, device::lstm_step<T>);
  add(recurrent::lstm_step_back, device::lstm_step_back<T>);
  add(recurrent::hold_state, device::hold_state<T>);
  add(recurrent::state_gradient, device::state_gradient<T>);
  add(recurrent::states_before, device::states_before<T>);
  using gru = host::gru_kernels<T>;
  add(gru::step_after, device::gru_step_after<T>);
  add(gru::reset_state, device::gru_reset_state<T>);
  add(gru::step_before, device::gru_step_before<T>);
  add(gru::step_back, device::gru_step_back<T>);
  add(gru::reset_back, device::gru_reset_back<T>);
  using library = host::library_recurrent_kernels<T>;
  add(library::pack_weights, device::pack_weights<T>);
  add(library::unpack_weights, device::unpack_weights<T>);
  add(library::keep_biases, device::keep_biases<T>);
  add(library::copy_sequence, device::copy_sequence<T>);
  using attention = host::attention_kernels<T>;
  add(attention::forward, device::attention<T>);
  add(attention::of_queries, device::attention_of_queries<T>);
  add(attention::of_keys, device::attention_of_keys<T>);
  if constexpr (std::is_same_v<T, float>) {
    add(host::untyped_sequence_kernels::embedding_order, device::embedding_order);
    add(host::untyped_sequence_kernels::embedding_listed_rows, device::embedding_listed_rows);
  }
}
