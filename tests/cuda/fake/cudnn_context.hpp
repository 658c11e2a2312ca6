// SPDX-License-Identifier: MIT
#pragma once

#include <driver_types.h>

/// What a handle of the played cuDNN is.
struct cudnnContext {
  cudaStream_t stream = nullptr;
};
