// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/cuda.hpp>
#include <ridgepoint/roofline/work.hpp>

#include "peer.hpp"

namespace peer {

/// Problem on a GPU: a task, and its receipt.
struct device_task {
  task made;
  ridgepoint::work receipt;
};

/// Returns the op in the words "conv2d f32 forward 128 14 64 64 3 1" on a GPU, with its operands on the device.
/// Throws: not_available for other words.
[[nodiscard]] device_task on_device(const ridgepoint::cuda& on, const words& w);

}  // namespace peer
