// SPDX-License-Identifier: MIT
#pragma once

#include <driver_types.h>

#include "stream.hpp"

/// What a handle of the played cuDNN is.
struct cudnnContext {
  cudaStream_t stream = nullptr;
  int device = fake::device_of_thread();
};
