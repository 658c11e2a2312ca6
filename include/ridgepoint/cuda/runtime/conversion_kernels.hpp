// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/cuda/runtime/divisor.hpp>
#include <ridgepoint/cuda/runtime/kernel.hpp>
#include <ridgepoint/ops/step_state.hpp>

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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
