// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/cuda/runtime/kernel.hpp>
#include <ridgepoint/cuda/runtime/recurrent_problem.hpp>
#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/ops/attention.hpp>
#include <ridgepoint/ops/geometry.hpp>
#include <ridgepoint/ops/step_state.hpp>

/// \file
/// The kernels of cuda/device with their parameter types on the host; tests check each against the device code.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

template <class To, class From>
inline constexpr const char* conversion_words = nullptr;
template <>
inline constexpr const char* conversion_words<float, bfloat16> = "float, ridgepoint_device::bfloat16";
template <>
inline constexpr const char* conversion_words<bfloat16, float> = "ridgepoint_device::bfloat16, float";
template <>
inline constexpr const char* conversion_words<float, float16> = "float, ridgepoint_device::float16";
template <>
inline constexpr const char* conversion_words<float16, float> = "ridgepoint_device::float16, float";

/// Parameters of kernels that read elements stored as X and compute in T.
template <class T, class X>
inline constexpr const char* computed_and_stored = conversion_words<T, X>;
template <class T>
inline constexpr const char* computed_and_stored<T, T> = element_word<T>;

/// The kernels of device/conversions.hpp.
template <class To, class From>
struct conversion_kernels {
  static constexpr const char* header = "conversions";
  static constexpr const char* of = conversion_words<To, From>;
  static constexpr kernel<index_t, const From*, To*, const step_state*> convert{header, "convert", of};
  static constexpr kernel<index_t, divisor, divisor, const From*, index_t, index_t, To*, index_t, index_t>
      convert_steps{header, "convert_steps", of};

  template <class F>
  static void each(const F& f) {
    f(convert), f(convert_steps);
  }
};

/// Windows over images; must match device/windows.hpp.
struct windows_argument {
  struct axis {
    divisor extent, outputs, stride;
    index_t taps, before, after, dilation;
  };
  index_t images;
  divisor channels;
  axis rows, columns;
};
/// Returns the windows of an op. Geometry: rows() and columns() are its axes, n and c its images and channels.
template <class Geometry>
[[nodiscard]] constexpr windows_argument windows_of(const Geometry& g) noexcept {
  const auto axis = [](const window_axis& a) {
    return windows_argument::axis{a.extent, a.outputs(), a.stride, a.taps, a.before, a.after, a.dilation};
  };
  return {g.n, g.c, axis(g.rows()), axis(g.columns())};
}

/// Images with channels in groups; must match device/group_norm.hpp.
struct grouped_images {
  index_t images;
  divisor pixels;
  index_t channels, groups;
};
/// Images and their enlargement factor; must match device/upsample.hpp.
struct enlarged_images {
  index_t images;
  divisor rows, columns, channels, row_factor, column_factor, larger_rows, larger_columns;
};

template <class T>
struct pooling_kernels {
  static constexpr const char* header = "pooling";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<windows_argument, const T*, T*, std::uint8_t*> max_pool2d{header, "max_pool2d", of};
  static constexpr kernel<windows_argument, const T*, const std::uint8_t*, T*> max_pool2d_backward{
      header, "max_pool2d_backward", of};
  static constexpr kernel<windows_argument, mean_over, const T*, T*> avg_pool2d{header, "avg_pool2d", of};
  static constexpr kernel<windows_argument, mean_over, const T*, T*> avg_pool2d_backward{header, "avg_pool2d_backward",
                                                                                         of};

  template <class F>
  static void each(const F& f) {
    f(max_pool2d), f(max_pool2d_backward), f(avg_pool2d), f(avg_pool2d_backward);
  }
};

template <class T>
struct column_kernels {
  static constexpr kernel<index_t, std::uint32_t, index_t, const compute_t<T>*, T*, T*, index_t> gather_columns{
      "columns", "gather_columns", element_word<T>};

  template <class F>
  static void each(const F& f) {
    f(gather_columns);
  }
};

/// Sums, computed in T over maps stored as X: for batch normalisation's statistics, and for the parameter gradients of
/// any normalisation.
template <class T, class X = T>
struct statistics_kernels {
  static constexpr const char* of = computed_and_stored<T, X>;
  static constexpr kernel<index_t, index_t, std::uint32_t, const X*, T*> sums{"batch_norm", "batch_norm_sums", of};
  static constexpr kernel<T, T, index_t, index_t, std::uint32_t, index_t, const X*, const T*, const T*, T*, T*, T*, T*,
                          T*>
      moments{"batch_norm", "batch_norm_moments", of};
  static constexpr kernel<grouped_images, std::uint32_t, const X*, const T*, const T*, const X*, const step_state*, T*>
      gradient_sums{"group_norm", "group_norm_sums", of};

  template <class F>
  static void each(const F& f) {
    f(sums), f(moments), f(gradient_sums);
  }
};

template <class T>
struct batch_norm_kernels {
  static constexpr const char* header = "batch_norm";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<index_t, index_t, std::uint32_t, const T*, const T*, const T*, T*> forward{header,
                                                                                                     "batch_norm", of};
  static constexpr kernel<index_t, index_t, std::uint32_t, const T*, const T*, const T*, const T*, const T*, const T*,
                          const T*, T*>
      backward{header, "batch_norm_backward", of};
  static constexpr kernel<T, index_t, index_t, std::uint32_t, const T*, const T*, const T*, const T*, const T*, T*>
      inference{header, "batch_norm_inference", of};
  static constexpr kernel<T, index_t, index_t, std::uint32_t, const T*, const T*, const T*, const T*, const T*,
                          const T*, T*, T*>
      fold{header, "fold_batch_norm", of};

  template <class F>
  static void each(const F& f) {
    f(forward), f(backward), f(inference), f(fold);
  }
};

template <class T>
struct group_norm_kernels {
  static constexpr const char* header = "group_norm";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<T, grouped_images, std::uint32_t, const T*, const T*, const T*, T*, T*, T*> forward{
      header, "group_norm", of};
  static constexpr kernel<grouped_images, std::uint32_t, const T*, const T*, const T*, const T*, const T*, T*> backward{
      header, "group_norm_backward", of};

  template <class F>
  static void each(const F& f) {
    f(forward), f(backward);
  }
};

template <class T>
struct depthwise_kernels {
  static constexpr const char* header = "depthwise";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<windows_argument, divisor, divisor, const T*, const T*, const T*, T*> forward{
      header, "depthwise_conv2d", of};
  static constexpr kernel<windows_argument, index_t, const T*, const T*, T*> backward_data{
      header, "depthwise_conv2d_backward_data", of};
  static constexpr kernel<windows_argument, divisor, divisor, std::uint32_t, const T*, const T*, compute_t<T>*> sums{
      header, "depthwise_conv2d_sums", of};

  template <class F>
  static void each(const F& f) {
    f(forward), f(backward_data), f(sums);
  }
};

template <class T>
struct channel_kernels {
  static constexpr const char* header = "channels";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<index_t, divisor, index_t, index_t, const T*, index_t, T*, index_t> shift{
      header, "shift_channels", of};
  static constexpr kernel<index_t, divisor, index_t, const T*, index_t, const T*, index_t, T*, index_t> concat{
      header, "concat_channels", of};

  template <class F>
  static void each(const F& f) {
    f(shift), f(concat);
  }
};

template <class T>
struct upsample_kernels {
  static constexpr const char* header = "upsample";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<enlarged_images, upsampling, const T*, T*> forward{header, "upsample", of};
  static constexpr kernel<enlarged_images, upsampling, const T*, T*> backward{header, "upsample_backward", of};

  template <class F>
  static void each(const F& f) {
    f(forward), f(backward);
  }
};

/// Calls f(kernel) for every kernel of elements T.
template <class T, class F>
void each_image_kernel(const F& f) {
  pooling_kernels<T>::each(f);
  column_kernels<T>::each(f);
  statistics_kernels<compute_t<T>, T>::each(f);
  if constexpr (computes_as_stored<T>) batch_norm_kernels<T>::each(f), group_norm_kernels<T>::each(f);
  depthwise_kernels<T>::each(f);
  channel_kernels<T>::each(f);
  upsample_kernels<T>::each(f);
}

/// The kernels of device/library_recurrent.hpp.
template <class T>
struct library_recurrent_kernels {
  static constexpr const char* header = "library_recurrent";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<placed_weights<const T>, T*> pack_weights{header, "pack_weights", of};
  static constexpr kernel<placed_weights<T>, const T*> unpack_weights{header, "unpack_weights", of};
  static constexpr kernel<index_t, index_t, const T*, const T*, T*> keep_biases{header, "keep_biases", of};
  static constexpr kernel<index_t, divisor, divisor, const T*, index_t, index_t, T*, index_t, index_t> copy_sequence{
      header, "copy_sequence", of};

  template <class F>
  static void each(const F& f) {
    f(pack_weights), f(unpack_weights), f(keep_biases), f(copy_sequence);
  }
};

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

/// The kernels of device/ceilings.hpp; the host passes words of 16 bytes as void.
struct ceiling_kernels {
  static constexpr const char* header = "ceilings";
  template <class T>
  static constexpr kernel<index_t, T, T*> multiply_add_chains{header, "multiply_add_chains", element_word<T>};
  static constexpr kernel<index_t, index_t, const void*, void*> copy_words{header, "copy_words", ""};
  static constexpr kernel<index_t, index_t, const void*, std::uint32_t*> read_words{header, "read_words", ""};
  static constexpr kernel<index_t, index_t, void*> write_words{header, "write_words", ""};
  static constexpr kernel<> nothing{header, "nothing", ""};

  template <class F>
  static void each(const F& f) {
    f(multiply_add_chains<float>), f(multiply_add_chains<double>);
    f(copy_words), f(read_words), f(write_words), f(nothing);
  }
};

/// Rows and columns of the tile that a block of `transpose` processes.
inline constexpr index_t transposed_tile = 32;

/// The kernels of device/convolution.hpp.
template <class T>
struct convolution_kernels {
  static constexpr const char* header = "convolution";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<activation, compute_t<T>, conv2d_geometry, const T*, const T*, const T*, const T*, T*>
      convolve{header, "convolve", of};
  static constexpr kernel<conv2d_geometry, const T*, const T*, T*> convolve_back{header, "convolve_back", of};
  static constexpr kernel<conv2d_geometry, const T*, const T*, T*> convolution_weights{header, "convolution_weights",
                                                                                       of};
  static constexpr kernel<activation, compute_t<T>, index_t, divisor, const T*, const T*, T*> finish{
      header, "finish_convolution", of};
  static constexpr kernel<index_t, index_t, const T*, T*> transpose{header, "transpose", of};

  template <class F>
  static void each(const F& f) {
    f(convolve), f(convolve_back), f(convolution_weights), f(finish), f(transpose);
  }
};

/// The kernels of device/rows.hpp, for rows of words of four bytes, or of two.
struct row_kernels {
  static constexpr const char* header = "rows";
  template <class Word>
  using gather = kernel<index_t, divisor, const index_t*, const Word*, Word*>;
  static constexpr gather<std::uint32_t> gather_words{header, "gather_rows", "unsigned"};
  static constexpr gather<std::uint16_t> gather_halves{header, "gather_rows", "unsigned short"};

  template <class F>
  static void each(const F& f) {
    f(gather_words), f(gather_halves);
  }
};

/// Contribution of a row or a block to the loss of a step.
struct loss_part {
  double loss;
  std::uint32_t correct, ignored;
};

template <class T>
struct elementwise_kernels {
  static constexpr const char* header = "elementwise";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<activation, compute_t<T>, index_t, const T*, T*> activate{header, "activate", of};
  static constexpr kernel<activation, compute_t<T>, index_t, const T*, const T*, T*> activate_backward{
      header, "activate_backward", of};
  static constexpr kernel<index_t, const T*, const T*, T*> add{header, "add", of};
  static constexpr kernel<activation, index_t, divisor, index_t, const T*, const T*, T*> add_bias{header, "add_bias",
                                                                                                  of};
  static constexpr kernel<index_t, const T*, T*, std::uint32_t, compute_t<T>, std::uint64_t, std::uint32_t,
                          const step_state*, index_t, index_t>
      dropout{header, "dropout", of};

  template <class F>
  static void each(const F& f) {
    f(activate), f(activate_backward), f(add), f(add_bias), f(dropout);
  }
};

template <class T>
struct reduction_kernels {
  static constexpr const char* header = "reductions";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<index_t, index_t, std::uint32_t, index_t, const T*, T*> column_sums{header, "column_sums",
                                                                                              of};
  static constexpr kernel<index_t, index_t, std::uint32_t, index_t, const T*, compute_t<T>*> column_sum_parts{
      header, "column_sum_parts", of};
  static constexpr kernel<index_t, index_t, std::uint32_t, const compute_t<T>*, T*> sums_of_column_parts{
      header, "sums_of_column_parts", of};
  static constexpr kernel<index_t, const T*, double*> square_parts{header, "square_parts", of};

  template <class F>
  static void each(const F& f) {
    f(column_sums), f(column_sum_parts), f(sums_of_column_parts);
    if constexpr (computes_as_stored<T>) f(square_parts);
  }
};

template <class T>
struct loss_kernels {
  static constexpr const char* header = "losses";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<index_t, index_t, const T*, index_t, index_t, T*, index_t, index_t> softmax{header, "softmax",
                                                                                                      of};
  static constexpr kernel<index_t, index_t, const T*, index_t, const std::int32_t*, std::int32_t, const std::uint32_t*,
                          double, T*, index_t, loss_part*>
      softmax_cross_entropy{header, "softmax_cross_entropy", of};
  static constexpr kernel<index_t, const T*, const T*, compute_t<T>, T*, loss_part*> mse{header, "mse", of};
  static constexpr kernel<index_t, const T*, const T*, compute_t<T>, T*, loss_part*> binary_cross_entropy{
      header, "binary_cross_entropy", of};
  static constexpr kernel<double, double, double, double, index_t, index_t, index_t, const T*, const T*, T*, loss_part*>
      detection{header, "detection", of};

  template <class F>
  static void each(const F& f) {
    f(softmax), f(softmax_cross_entropy), f(mse), f(binary_cross_entropy);
    if constexpr (computes_as_stored<T>) f(detection);
  }
};

template <class T>
struct update_kernels {
  static constexpr const char* header = "updates";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<index_t, T*, const T*, const step_state*, update_rule, listed_rows> sgd{header, "sgd_update",
                                                                                                  of};
  static constexpr kernel<T, index_t, T*, const T*, T*, const step_state*, update_rule, listed_rows> momentum{
      header, "momentum_update", of};
  static constexpr kernel<T, T, T, index_t, T*, const T*, T*, const step_state*, update_rule, listed_rows>
      rmsprop_keras{header, "rmsprop_keras_update", of};
  static constexpr kernel<T, T, T, index_t, T*, const T*, T*, T*, const step_state*, update_rule, listed_rows>
      rmsprop_tf1{header, "rmsprop_tf1_update", of};
  static constexpr kernel<double, double, T, T, T, index_t, T*, const T*, T*, T*, const step_state*, update_rule,
                          listed_rows>
      adam{header, "adam_update", of};
  static constexpr kernel<T, T, T, index_t, T*, const T*, T*, T*, const step_state*, update_rule, listed_rows> adadelta{
      header, "adadelta_update", of};

  template <class F>
  static void each(const F& f) {
    f(sgd), f(momentum), f(rmsprop_keras), f(rmsprop_tf1), f(adam), f(adadelta);
  }
};

template <class T>
struct product_kernels {
  static constexpr const char* header = "products";
  static constexpr kernel<index_t, index_t, index_t, const T*, index_t, index_t, const T*, index_t, index_t, T*,
                          index_t, index_t, compute_t<T>, compute_t<T>, const T*, activation>
      gemm{header, "gemm", element_word<T>};
  static constexpr kernel<index_t, divisor, const compute_t<T>*, compute_t<T>, const T*, T*, index_t, activation>
      finish{header, "finish_product", element_word<T>};

  template <class F>
  static void each(const F& f) {
    f(gemm);
    if constexpr (!computes_as_stored<T>) f(finish);
  }
};

/// Kernels without an element type.
struct untyped_kernels {
  static constexpr kernel<step_state*, rate_schedule, index_t> advance{"step_state", "advance", ""};
  static constexpr kernel<index_t, const std::int32_t*, std::int32_t, std::uint32_t*> count_ignored{
      "losses", "count_ignored", ""};
  static constexpr kernel<index_t, const loss_part*, double, std::uint32_t*, step_state*> gather_loss{
      "losses", "gather_loss", ""};
  static constexpr kernel<std::uint32_t, const double*, double, step_state*> gather_squares{"reductions",
                                                                                            "gather_squares", ""};

  template <class F>
  static void each(const F& f) {
    f(advance), f(count_ignored), f(gather_loss), f(gather_squares);
  }
};

/// Calls f(kernel) for every kernel of every type.
template <class F>
void each_kernel(const F& f) {
  const auto of_type = [&]<class T>(T) {
    elementwise_kernels<T>::each(f);
    reduction_kernels<T>::each(f);
    loss_kernels<T>::each(f);
    if constexpr (computes_as_stored<T>) update_kernels<T>::each(f);
    product_kernels<T>::each(f);
    each_sequence_kernel<T>(f);
    convolution_kernels<T>::each(f);
    each_image_kernel<T>(f);
  };
  of_type(float{});
  of_type(double{});
  const auto of_short_type = [&]<class T>(T t) {
    of_type(t);
    conversion_kernels<T, float>::each(f);
    conversion_kernels<float, T>::each(f);
  };
  of_short_type(bfloat16{});
  of_short_type(float16{});
  untyped_kernels::each(f);
  ceiling_kernels::each(f);
  row_kernels::each(f);
}

/// Returns the kernels that are compiled together with one: those with its header and element.
[[nodiscard]] inline std::vector<kernel_name> compiled_with(const kernel_name& one) {
  std::vector<kernel_name> found;
  each_kernel([&](const kernel_name& k) {
    if (one.program() == k.program()) found.push_back(k);
  });
  return found;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
