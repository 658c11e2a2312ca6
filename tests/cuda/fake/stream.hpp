// SPDX-License-Identifier: MIT
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <functional>

namespace fake {

/// Runs a call at once, or keeps it where the stream records.
void enqueue(cudaStream_t on, std::function<void()> call);

/// Whether so many bytes from here are memory of the device.
bool on_device(const void* at, std::size_t bytes);

}  // namespace fake
