// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/cuda/cuda.hpp>

#include "fake/fake.hpp"

/// The GPU that is played.
inline const ridgepoint::cuda& played_gpu() {
  static const ridgepoint::cuda gpu;
  return gpu;
}
/// Whether a call is one of those that a step may be which was recorded.
inline bool is_of_a_replay(std::string_view call) {
  return call == "cudaSetDevice" || call == "cudaMemcpyAsync" || call == "cudaStreamSynchronize" ||
         call == "cudaGraphLaunch";
}
/// The same for tests that ask for a number of threads.
inline constexpr auto on_played_gpu = [](int /*threads*/) -> const ridgepoint::cuda& { return played_gpu(); };
