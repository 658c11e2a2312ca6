// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/attention.hpp>
#include <ridgepoint/cuda/device/gru.hpp>
#include <ridgepoint/cuda/device/library_recurrent.hpp>
#include <ridgepoint/cuda/device/recurrent.hpp>
#include <ridgepoint/cuda/device/sequences.hpp>
#include <ridgepoint/cuda/embedding.hpp>
#include <ridgepoint/cuda/runtime/kernels.hpp>

static_assert(sizeof(ridgepoint_device::heads<float>) == sizeof(ridgepoint::detail::device_heads<float>));
static_assert(offsetof(ridgepoint_device::heads<float>, head) ==
              offsetof(ridgepoint::detail::device_heads<float>, head));
static_assert(offsetof(ridgepoint_device::attention_extents, lengths) ==
              offsetof(ridgepoint::detail::device_attention, lengths));
static_assert(offsetof(ridgepoint_device::attention_extents, causal) ==
              offsetof(ridgepoint::detail::device_attention, causal));
static_assert(ridgepoint_device::sorted_tile == ridgepoint::detail::sorted_tokens::tile);
static_assert(sizeof(ridgepoint_device::placed_weights<float>) == sizeof(ridgepoint::detail::placed_weights<float>));
static_assert(offsetof(ridgepoint_device::placed_weights<float>, each) ==
              offsetof(ridgepoint::detail::placed_weights<float>, each));
static_assert(offsetof(ridgepoint_device::placed_weight<float>, col_stride) ==
              offsetof(ridgepoint::detail::placed_weight<float>, col_stride));

/// Calls add(host kernel, device kernel) for each kernel for sequences of T; On is T in device code. Kernels without a
/// type are included with float's.
template <class T, class On, class Add>
void each_sequence_kernel(const Add& add) {
  namespace device = ridgepoint_device;
  namespace host = ridgepoint::detail;
  using sequences = host::sequence_kernels<T>;
  add(sequences::embedding, device::embedding<On>);
  add(sequences::embedding_sums, device::embedding_sums<On>);
  add(sequences::zeros, device::zeros<On>);
  add(sequences::embedding_backward, device::embedding_backward<On>);
  add(sequences::positions, device::positions<On>);
  add(sequences::scaled, device::scaled<On>);
  add(sequences::dense_copy, device::dense_copy<On>);
  using attention = host::attention_kernels<T>;
  add(attention::forward, device::attention<On>);
  add(attention::of_queries, device::attention_of_queries<On>);
  add(attention::of_keys, device::attention_of_keys<On>);
  if constexpr (host::computes_as_stored<T>) {
    using recurrent = host::recurrent_kernels<T>;
    add(recurrent::rnn_step, device::rnn_step<On>);
    add(recurrent::rnn_step_back, device::rnn_step_back<On>);
    add(recurrent::lstm_step, device::lstm_step<On>);
    add(recurrent::lstm_step_back, device::lstm_step_back<On>);
    add(recurrent::hold_state, device::hold_state<On>);
    add(recurrent::state_gradient, device::state_gradient<On>);
    add(recurrent::states_before, device::states_before<On>);
    using gru = host::gru_kernels<T>;
    add(gru::step_after, device::gru_step_after<On>);
    add(gru::reset_state, device::gru_reset_state<On>);
    add(gru::step_before, device::gru_step_before<On>);
    add(gru::step_back, device::gru_step_back<On>);
    add(gru::reset_back, device::gru_reset_back<On>);
    using library = host::library_recurrent_kernels<T>;
    add(library::pack_weights, device::pack_weights<On>);
    add(library::unpack_weights, device::unpack_weights<On>);
    add(library::keep_biases, device::keep_biases<On>);
    add(library::copy_sequence, device::copy_sequence<On>);
  }
  if constexpr (std::is_same_v<T, float>) {
    using untyped = host::untyped_sequence_kernels;
    add(untyped::sort_tokens, device::sort_tokens);
    add(untyped::merge_tokens, device::merge_tokens);
    add(untyped::embedding_listed_rows, device::embedding_listed_rows);
  }
}
