// SPDX-License-Identifier: MIT
#pragma once

#include <dlfcn.h>

#include <bit>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The OpenMP runtime that another library (oneDNN, a BLAS) brought into this process, found by its functions' names
/// when the program runs. This library's threads are its own (core/team.hpp): nothing of it is compiled with OpenMP.
/// Example:
///   if (const rp::openmp_runtime openmp; openmp.found()) openmp.set_threads(2);
class openmp_runtime {
 public:
  /// False in a process without one, or linked statically.
  [[nodiscard]] bool found() const noexcept { return max_threads_ != nullptr && set_threads_ != nullptr; }
  /// How many threads the next region that this thread opens will have at most.
  [[nodiscard]] int max_threads() const { return max_threads_(); }
  void set_threads(int count) const { set_threads_(count); }

 private:
  template <class Function>
  [[nodiscard]] static Function* function(const char* name) noexcept {
    return std::bit_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  }
  int (*max_threads_)() = function<int()>("omp_get_max_threads");
  void (*set_threads_)(int) = function<void(int)>("omp_set_num_threads");
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
