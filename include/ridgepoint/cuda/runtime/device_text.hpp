// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

/// A header of cuda/device as text for NVRTC; the build generates the list.
struct ridgepoint_device_text {
  const char* name;  // "ridgepoint/cuda/device/threads.hpp"
  const char* text;
};
extern "C" const ridgepoint_device_text ridgepoint_device_texts[];
extern "C" const std::size_t ridgepoint_device_text_count;
