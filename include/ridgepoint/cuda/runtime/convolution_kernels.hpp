// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/divisor.hpp>
#include <ridgepoint/cuda/runtime/kernel.hpp>
#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/ops/conv2d_geometry.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Rows and columns of what a block of `transpose` takes at a time.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
