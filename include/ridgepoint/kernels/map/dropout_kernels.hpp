// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/ops/dropout.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Drops elements [begin, end), begin a multiple of dropout_mask::block; for sequences, elements of the mask shared by
/// all steps.
template <class T>
struct dropout_chunk {
  static constexpr auto id = kernel_id<T>("dropout_chunk");
  static void run(const dropout_args<T>& d, index_t begin, index_t end) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/map/dropout.hpp>
#endif
