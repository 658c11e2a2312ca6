// SPDX-License-Identifier: MIT
// Fake NVML with two GPUs: one at 1b:00 that reports everything, one at 1c:00 that reports only its memory's clock.
#include <cstring>

extern "C" {
int nvmlInit_v2();
int nvmlShutdown();
int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device);
int nvmlDeviceGetClockInfo(void* device, int of, unsigned* mhz);
int nvmlDeviceGetPowerUsage(void* device, unsigned* mw);
}

namespace {
constexpr int uninitialised = 1, not_supported = 3, not_found = 6;
int users = 0;
char all, little;
}  // namespace

int nvmlInit_v2() {
  ++users;
  return 0;
}
int nvmlShutdown() {
  --users;
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
  if (users == 0) return uninitialised;
  *device = std::strcmp(address, "0000:1b:00.0") == 0 ? &all : &little;
  const bool found = *device == &all || std::strcmp(address, "0000:1c:00.0") == 0;
  return found ? 0 : not_found;
}
int nvmlDeviceGetClockInfo(void* device, int of, unsigned* mhz) {
  constexpr unsigned values[] = {7, 1980, 2619, 8};  // graphics, multiprocessors, memory, video
  if (users == 0) return uninitialised;
  *mhz = device == &all ? values[of] : 1;
  return device == &all || of == 2 ? 0 : not_supported;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* mw) {
  if (users == 0) return uninitialised;
  *mw = 612'500;
  return device == &all ? 0 : not_supported;
}
