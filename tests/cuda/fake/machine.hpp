// SPDX-License-Identifier: MIT
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace fake {

/// Settings of the fake machine.
struct machine {
  int devices = 1;
  cudaError_t driver = cudaErrorNoDevice;  // its error if there are no devices
  int major = 9, minor = 0;                // compute capability
  std::size_t memory_bytes = std::numeric_limits<std::size_t>::max();
  cudaError_t loading = cudaSuccess;  // the result of loading code
  bool lost = false;                  // whether devices are lost: every call that reaches one then fails
  float sums_in_products = 1;         // how much of a device cublasLt fills with products that also sum an operand,
                                      // where others fill it once; 0: it has none
  bool none_is_invalid = false;       // it then reports an invalid value instead of an unsupported request
  bool silent = false;                // calls are checked and noted, but compute nothing: device memory is
                                      // only addresses, which cannot be read
};
/// Returns the current settings.
const machine& scenario();
/// Returns the allocated bytes of the first device.
std::size_t taken_bytes();

/// Replaces the settings until the end of its scope.
class playing {
 public:
  explicit playing(const machine& other);
  playing(const playing&) = delete;
  playing& operator=(const playing&) = delete;
  ~playing();

 private:
  machine before_;
};

/// A task for a silent device, or a copy; equal tasks have equal digests.
struct task {
  std::string call;
  std::size_t digest = 0;
  double flop = 0;  // of a product, a convolution or a recurrent layer
  bool operator==(const task&) const = default;
};
/// Returns the tasks since reset(), in order; tasks of a recording appear at each replay.
const std::vector<task>& tasks();

/// Returns the first illegal CUDA call since reset(), with the reason; "" if none.
const std::string& illegal();

}  // namespace fake
