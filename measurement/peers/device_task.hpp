// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/cuda.hpp>
#include <ridgepoint/roofline/work.hpp>

#include "peer.hpp"

namespace peer {

/// A problem on a GPU: a task, and its receipt.
struct device_task {
  task made;
  ridgepoint::work receipt;
};

/// What the words say of one op, "conv2d f32 forward 128 14 64 64 3 1", on a GPU: the operands are there before it is
/// timed.
/// Throws: not_available if they say something else.
[[nodiscard]] device_task on_device(const ridgepoint::cuda& on, const words& w);

}  // namespace peer
