// SPDX-License-Identifier: MIT
#pragma once

#include <driver_types.h>

#include "stream.hpp"

/// The object of a fake cuDNN handle.
struct cudnnContext {
  cudaStream_t stream = nullptr;
  int device = fake::device_of_thread();
};
