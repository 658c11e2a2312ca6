// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Multiply-adds in registers: 16·rounds FLOP by each of `threads` threads.
template <scalar T>
struct gpu_peak_args {
  index_t rounds = 0, threads = 0;
  T* out = nullptr;  // one element per thread
};

/// Streams words of 16 bytes through memory, `passes` times.
struct gpu_stream_args {
  enum class way { copy, read, write };
  way kind = way::copy;
  index_t passes = 1, words = 0;
  const void* from = nullptr;     // copy, read
  void* to = nullptr;             // copy, write
  std::uint32_t* sums = nullptr;  // read: one element for each of `threads`
  index_t threads = 0;
};

/// An empty kernel.
struct gpu_nothing_args {};

/// The ops that measure a GPU's ceilings; networks do not use them.
using gpu_probe_ops = type_list<gpu_peak_args<float>, gpu_peak_args<double>, gpu_stream_args, gpu_nothing_args>;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
