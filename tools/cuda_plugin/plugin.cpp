// SPDX-License-Identifier: MIT
// Plugin entry point, loaded by tools/ridgepoint/cuda_plugin.cpp.
#include <ridgepoint/cuda/cuda_api.hpp>

extern "C" __attribute__((visibility("default"))) const ridgepoint_cuda_api* ridgepoint_cuda_plugin();
extern "C" const ridgepoint_cuda_api* ridgepoint_cuda_plugin() { return ridgepoint_cuda(); }
