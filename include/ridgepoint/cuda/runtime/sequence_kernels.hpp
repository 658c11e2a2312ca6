// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/divisor.hpp>
#include <ridgepoint/cuda/runtime/kernel.hpp>
#include <ridgepoint/cuda/runtime/library_recurrent_kernels.hpp>
#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/ops/attention.hpp>

/// \file
/// The kernels for sequences; kernels.hpp has those for all networks.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Parameters of attention kernels: heads and extents.
template <class T>
struct device_heads {
  T* data;
  index_t sample, step, head;
};
struct device_attention {
  index_t n, queries, keys, heads, width;
  const std::int32_t* lengths;
  index_t causal;
};

template <class T>
struct sequence_kernels {
  static constexpr const char* header = "sequences";
  static constexpr const char* of = element_word<T>;
  using ids = const std::int32_t*;
  using keys = const std::uint64_t*;
  static constexpr kernel<index_t, index_t, divisor, ids, const T*, T*> embedding{header, "embedding", of};
  static constexpr kernel<index_t, divisor, keys, ids, const T*, T*> embedding_sums{header, "embedding_sums", of};
  static constexpr kernel<index_t, T*> zeros{header, "zeros", of};
  static constexpr kernel<index_t, index_t, divisor, keys, const T*, T*> embedding_backward{header,
                                                                                            "embedding_backward", of};
  static constexpr kernel<index_t, divisor, divisor, compute_t<T>, const T*, T*> positions{header, "positions", of};
  static constexpr kernel<index_t, compute_t<T>, const T*, T*> scaled{header, "scaled", of};
  static constexpr kernel<index_t, divisor, const T*, index_t, index_t, T*> dense_copy{header, "dense_copy", of};

  template <class F>
  static void each(const F& f) {
    f(embedding), f(embedding_sums), f(zeros), f(embedding_backward), f(positions), f(scaled), f(dense_copy);
  }
};

template <class T>
struct recurrent_kernels {
  static constexpr const char* header = "recurrent";
  static constexpr const char* of = element_word<T>;
  using mask = const std::int32_t*;
  static constexpr kernel<index_t, index_t, activation, const T*, index_t, const T*, mask, index_t, const T*, index_t,
                          T*, index_t, T*>
      rnn_step{header, "rnn_step", of};
  static constexpr kernel<index_t, index_t, activation, const T*, index_t, mask, index_t, const T*, const T*, index_t,
                          T*, index_t, T*>
      rnn_step_back{header, "rnn_step_back", of};
  static constexpr kernel<index_t, index_t, activation, const T*, index_t, const T*, mask, index_t, const T*, const T*,
                          index_t, T*, T*, T*, index_t, T*, T*>
      lstm_step{header, "lstm_step", of};
  static constexpr kernel<index_t, index_t, activation, mask, index_t, const T*, const T*, const T*, const T*, const T*,
                          index_t, const T*, T*, T*, index_t, T*>
      lstm_step_back{header, "lstm_step_back", of};
  static constexpr kernel<index_t, index_t, mask, index_t, const T*, index_t, T*, index_t, T*> hold_state{
      header, "hold_state", of};
  static constexpr kernel<index_t, index_t, mask, index_t, const T*, const T*, index_t, T*, T*> state_gradient{
      header, "state_gradient", of};
  static constexpr kernel<index_t, index_t, index_t, const T*, index_t, index_t, const T*, const T*, index_t, T*,
                          index_t, index_t>
      states_before{header, "states_before", of};

  template <class F>
  static void each(const F& f) {
    f(rnn_step), f(rnn_step_back), f(lstm_step), f(lstm_step_back), f(hold_state), f(state_gradient), f(states_before);
  }
};

template <class T>
struct gru_kernels {
  static constexpr const char* header = "gru";
  static constexpr const char* of = element_word<T>;
  using mask = const std::int32_t*;
  static constexpr kernel<index_t, index_t, activation, const T*, index_t, const T*, const T*, const T*, mask, index_t,
                          const T*, index_t, T*, T*, index_t, T*>
      step_after{header, "gru_step_after", of};
  static constexpr kernel<index_t, index_t, activation, T*, index_t, const T*, const T*, index_t, T*> reset_state{
      header, "gru_reset_state", of};
  static constexpr kernel<index_t, index_t, const T*, index_t, const T*, mask, index_t, const T*, index_t, T*, T*,
                          index_t, T*>
      step_before{header, "gru_step_before", of};
  static constexpr kernel<index_t, index_t, activation, mask, index_t, const T*, const T*, index_t, const T*, const T*,
                          index_t, T*, T*, index_t, T*>
      step_back{header, "gru_step_back", of};
  static constexpr kernel<index_t, index_t, activation, const T*, const T*, index_t, const T*, T*, index_t, T*>
      reset_back{header, "gru_reset_back", of};

  template <class F>
  static void each(const F& f) {
    f(step_after), f(reset_state), f(step_before), f(step_back), f(reset_back);
  }
};

template <class T>
struct attention_kernels {
  static constexpr const char* header = "attention";
  static constexpr const char* of = element_word<T>;
  using in = device_heads<const T>;
  using out = device_heads<T>;
  using number = compute_t<T>;
  static constexpr kernel<device_attention, number, in, in, in, out, T*, number*> forward{header, "attention", of};
  static constexpr kernel<device_attention, number, in, in, in, in, in, const T*, out, number*, number*> of_queries{
      header, "attention_of_queries", of};
  static constexpr kernel<device_attention, number, in, in, in, in, const T*, const number*, out, out, number*> of_keys{
      header, "attention_of_keys", of};

  template <class F>
  static void each(const F& f) {
    f(forward), f(of_queries), f(of_keys);
  }
};

/// Kernels without an element type.
struct untyped_sequence_kernels {
  using keys = const std::uint64_t*;
  static constexpr kernel<index_t, index_t, const std::int32_t*, std::uint64_t*> sort_tokens{"sequences", "sort_tokens",
                                                                                             ""};
  static constexpr kernel<index_t, index_t, keys, std::uint64_t*> merge_tokens{"sequences", "merge_tokens", ""};
  static constexpr kernel<index_t, index_t, keys, std::int32_t*, std::int32_t*> embedding_listed_rows{
      "sequences", "embedding_listed_rows", ""};

  template <class F>
  static void each(const F& f) {
    f(sort_tokens), f(merge_tokens), f(embedding_listed_rows);
  }
};

/// Calls f(kernel) for every kernel for sequences of T; kernels without a type are included with float's.
template <class T, class F>
void each_sequence_kernel(const F& f) {
  sequence_kernels<T>::each(f);
  if constexpr (computes_as_stored<T>) {
    recurrent_kernels<T>::each(f);
    gru_kernels<T>::each(f);
    library_recurrent_kernels<T>::each(f);
  }
  attention_kernels<T>::each(f);
  if constexpr (std::is_same_v<T, float>) untyped_sequence_kernels::each(f);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
