// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/cuda/runtime/kernel.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Of device/ceilings.hpp; a word of 16 bytes is a void to the host.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
