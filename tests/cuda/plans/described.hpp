// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/cuda/runtime/cudnn_convolutions.hpp>

/// GPUs that are described to cuDNN and need not be present.
namespace described {

/// Properties that differ between GPUs with compute capability 9.0.
struct gpu {
  const char* name;
  long memory_bytes, memory_clock_khz, l2_bytes;
};
inline constexpr gpu h100{"NVIDIA H100 80GB HBM3", 85'017'493'504, 2'619'000, 52'428'800},
    h200{"NVIDIA H200", 150'109'880'320, 3'201'000, 62'914'560};

/// Returns its properties in the format of cuDNN 9.19, whose errors name each missing one.
inline std::string json(const gpu& g) {
  return ridgepoint::concat(
      R"({"deviceName": ")", g.name, R"(", "deviceVer": 900, "driverVer": 13000, "cudaDeviceId": 0, "pciDeviceId": 0,
 "isTccDriver": 0, "supportCoopLaunch": 1, "multiProcessorCount": 132, "warpSize": 32, "smClockRateKHz": 1980000,
 "memClockRateKHz": )",
      g.memory_clock_khz, R"(, "totalGlobalMem": )", g.memory_bytes, R"(, "l2CacheSize": )", g.l2_bytes, R"(,
 "maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64], "maxThreadsPerBlock": 1024,
 "maxThreadsPerSM": 2048, "maxCtasPerSM": 32, "regsPerBlock": 65536, "maxRegistersPerSM": 65536,
 "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": 232448, "reservedSharedMemoryPerBlock": 1024})");
}

inline ridgepoint::detail::cudnn_descriptor device(const gpu& g) {
  const std::string text = json(g);
  ridgepoint::detail::cudnn_descriptor made(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  made.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, std::span<const char>(text));
  made.finalise("cudnnBackendFinalize of a device");
  return made;
}

}  // namespace described
