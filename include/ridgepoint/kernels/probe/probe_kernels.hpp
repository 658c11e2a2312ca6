// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/kernels/probe/args.hpp>

// Kernels of the microbenchmarks: one thread's share of a window. They return FLOP, instructions or bytes.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

template <class T>
struct peak_window {
  static constexpr auto id = kernel_id<T>("peak_window");
  static std::uint64_t run(const peak_args<T>& args) noexcept;
};

/// On elements [first, first + size) of the arrays.
template <class T>
struct stream_window {
  static constexpr auto id = kernel_id<T>("stream_window");
  static std::uint64_t run(const stream_args& args, index_t first, index_t size) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/probe/probe.hpp>
#endif
