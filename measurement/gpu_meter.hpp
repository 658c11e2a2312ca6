// SPDX-License-Identifier: MIT
#pragma once

#include <dlfcn.h>

#include <memory>
#include <optional>
#include <string>

namespace measurement {

/// Driver readings of a GPU at one moment; values that the driver does not provide are empty.
struct gpu_state {
  std::optional<double> sm_hz = {}, memory_hz = {}, power_w = {};

  friend bool operator==(const gpu_state&, const gpu_state&) = default;
};

/// NVML, the driver's library, opened at run time if installed: nothing links it.
class gpu_meter {
 public:
  /// Opens the GPU at an address such as "0000:1b:00.0". Without the library or the GPU every reading is empty.
  explicit gpu_meter(const std::string& address, const char* library = "libnvidia-ml.so.1")
      : library_(::dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
    const auto begin = function<int()>("nvmlInit_v2");
    const auto find = function<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
    if (begin == nullptr || find == nullptr || begin() != 0) return;
    begun_ = true;
    if (find(address.c_str(), &device_) != 0) device_ = nullptr;
  }
  gpu_meter(const gpu_meter&) = delete;
  gpu_meter& operator=(const gpu_meter&) = delete;
  ~gpu_meter() {
    const auto end = function<int()>("nvmlShutdown");
    if (begun_ && end != nullptr) end();
  }

  [[nodiscard]] bool is_there() const noexcept { return device_ != nullptr; }
  [[nodiscard]] gpu_state now() const {
    constexpr int of_multiprocessors = 1, of_memory = 2;  // nvmlClockType_t
    return {.sm_hz = clock_hz(of_multiprocessors), .memory_hz = clock_hz(of_memory), .power_w = power_w()};
  }

 private:
  struct close {
    void operator()(void* library) const noexcept { ::dlclose(library); }
  };

  template <class F>
  [[nodiscard]] F* function(const char* name) const {
    return library_ == nullptr ? nullptr : reinterpret_cast<F*>(::dlsym(library_.get(), name));
  }
  [[nodiscard]] std::optional<double> clock_hz(int of) const {
    unsigned mhz = 0;
    const auto ask = function<int(void*, int, unsigned*)>("nvmlDeviceGetClockInfo");
    if (device_ == nullptr || ask == nullptr || ask(device_, of, &mhz) != 0) return std::nullopt;
    return 1e6 * mhz;
  }
  [[nodiscard]] std::optional<double> power_w() const {
    unsigned mw = 0;
    const auto ask = function<int(void*, unsigned*)>("nvmlDeviceGetPowerUsage");
    if (device_ == nullptr || ask == nullptr || ask(device_, &mw) != 0) return std::nullopt;
    return 1e-3 * mw;
  }

  std::unique_ptr<void, close> library_;
  bool begun_ = false;
  void* device_ = nullptr;
};

}  // namespace measurement
