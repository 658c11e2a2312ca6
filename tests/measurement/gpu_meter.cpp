// SPDX-License-Identifier: MIT
#include "measurement/gpu_meter.hpp"

#include <doctest/doctest.h>

using measurement::gpu_meter, measurement::gpu_state;

TEST_CASE("a GPU's clocks and power come from the driver; values that it does not report are absent") {
  const gpu_meter meter("0000:1b:00.0", FAKE_NVML);
  CHECK(meter.now() == gpu_state{.sm_hz = 1980e6, .memory_hz = 2619e6, .power_w = 612.5});
  CHECK(gpu_meter("0000:1c:00.0", FAKE_NVML).now() == gpu_state{.memory_hz = 1e6});  // a GPU that refuses some queries
  CHECK(gpu_meter("0000:2b:00.0", FAKE_NVML).now() == gpu_state{});                  // a missing GPU
  CHECK(gpu_meter("0000:1b:00.0", "libabsent.so.1").now() == gpu_state{});
  CHECK(gpu_meter("0000:1b:00.0", "libm.so.6").now() == gpu_state{});  // a library, but not NVML
}
