// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/cuda/cuda.hpp>

#include "fake/fake.hpp"

/// Returns the fake GPU.
inline const ridgepoint::cuda& fake_gpu() {
  static const ridgepoint::cuda gpu;
  return gpu;
}
/// Returns whether a call may be part of a step that replays a recording.
inline bool is_of_a_replay(std::string_view call) {
  return call == "cudaSetDevice" || call == "cudaMemcpyAsync" || call == "cudaStreamSynchronize" ||
         call == "cudaGraphLaunch";
}
/// The fake GPU for tests that pass a number of threads.
inline constexpr auto on_fake_gpu = [](int /*threads*/) -> const ridgepoint::cuda& { return fake_gpu(); };
