// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/cuda/runtime/divisor.hpp>
#include <ridgepoint/cuda/runtime/kernel.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Of device/rows.hpp, for rows of four bytes each, or of two.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
