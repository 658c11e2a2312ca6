// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/cuda/runtime/conversion_kernels.hpp>
#include <ridgepoint/cuda/runtime/divisor.hpp>
#include <ridgepoint/cuda/runtime/image_kernels.hpp>
#include <ridgepoint/cuda/runtime/kernel.hpp>
#include <ridgepoint/cuda/runtime/sequence_kernels.hpp>
#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/ops/conv2d_geometry.hpp>

/// \file
/// The kernels of cuda/device with their parameter types on the host; tests check each against the device code.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

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
