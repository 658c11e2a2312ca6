// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/cuda/runtime/kernel.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The kernels of device/conversions.hpp.
template <class To, class From>
struct conversion_kernels {
  static constexpr const char* header = "conversions";
  static constexpr const char* of =
      std::is_same_v<To, float> ? "float, ridgepoint_device::bfloat16" : "ridgepoint_device::bfloat16, float";
  static constexpr kernel<index_t, const From*, To*> convert{header, "convert", of};
  static constexpr kernel<index_t, index_t, index_t, const From*, index_t, index_t, To*, index_t, index_t>
      convert_steps{header, "convert_steps", of};

  template <class F>
  static void each(const F& f) {
    f(convert), f(convert_steps);
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
