// SPDX-License-Identifier: MIT
#pragma once

#include <driver_types.h>

#include <functional>

namespace fake {

/// Runs a call at once, or keeps it where the stream records.
void enqueue(cudaStream_t on, std::function<void()> call);

}  // namespace fake
