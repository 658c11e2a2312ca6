// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/divisor.hpp>
#include <ridgepoint/cuda/runtime/kernel.hpp>
#include <ridgepoint/cuda/runtime/recurrent_problem.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
