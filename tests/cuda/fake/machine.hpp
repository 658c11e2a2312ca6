// SPDX-License-Identifier: MIT
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace fake {

/// What the played machine is like.
struct machine {
  int devices = 1;
  cudaError_t driver = cudaErrorNoDevice;  // what it says where there are none
  int major = 9, minor = 0;                // compute capability
  std::size_t memory_bytes = std::numeric_limits<std::size_t>::max();
  cudaError_t loading = cudaSuccess;  // what comes of loading code
  bool lost = false;                  // the devices: every call that reaches one fails from now on
  float sums_in_products = 1;         // how much of a device cublasLt fills with products that sum an operand as well,
                                      // where others fill it once; 0: it has none
  bool none_is_invalid = false;       // which it then says by calling a value invalid, not what is wanted unsupported
  bool silent = false;                // calls are held against the rules and noted, and compute nothing: memory of the
                                      // device is addresses, from which nothing can be read
};
/// As it is now.
const machine& played();
/// What is taken of the memory of the first device.
std::size_t taken_bytes();

/// Another machine until the end of the scope.
class playing {
 public:
  explicit playing(const machine& other);
  playing(const playing&) = delete;
  playing& operator=(const playing&) = delete;
  ~playing();

 private:
  machine before_;
};

/// Something a device was given to do while it was silent, or a copy: two that are alike in everything have one digest.
struct task {
  std::string call;
  std::size_t digest = 0;
  double flop = 0;  // of a product or a convolution
  bool operator==(const task&) const = default;
};
/// The tasks since reset(), in order; those of a recording whenever it is replayed.
const std::vector<task>& tasks();

/// The first call since reset() that CUDA's rules forbid, and why; "" if there was none.
const std::string& illegal();

}  // namespace fake
