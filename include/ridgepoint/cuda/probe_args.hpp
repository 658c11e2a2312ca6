// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Multiply-adds in registers: 16·rounds FLOP by each of so many threads.
template <scalar T>
struct gpu_peak_args {
  index_t rounds = 0, threads = 0;
  T* out = nullptr;  // an element for each thread
};

/// Words of 16 bytes through memory, so many times.
struct gpu_stream_args {
  enum class way { copy, read, write };
  way kind = way::copy;
  index_t passes = 1, words = 0;
  const void* from = nullptr;     // copy, read
  void* to = nullptr;             // copy, write
  std::uint32_t* sums = nullptr;  // read: an element for each of threads
  index_t threads = 0;
};

/// A kernel that does nothing.
struct gpu_nothing_args {};

/// What the ceilings of a GPU are measured with: not ops of networks.
using gpu_probe_ops = type_list<gpu_peak_args<float>, gpu_peak_args<double>, gpu_stream_args, gpu_nothing_args>;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
