// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/ops/convert.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Converts elements [begin, end).
template <class To, class From>
struct convert_chunk {
  static constexpr auto id = kernel_id<To, From>("convert_chunk");
  static void run(const convert_args<To, From>& a, index_t begin, index_t end) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/map/convert.hpp>
#endif
