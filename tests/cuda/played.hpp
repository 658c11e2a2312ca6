// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/cuda.hpp>

#include "fake/fake.hpp"

/// The GPU that is played.
inline const ridgepoint::cuda& played_gpu() {
  static const ridgepoint::cuda gpu;
  return gpu;
}
/// The same for tests that ask for a number of threads.
inline constexpr auto on_played_gpu = [](int /*threads*/) -> const ridgepoint::cuda& { return played_gpu(); };
