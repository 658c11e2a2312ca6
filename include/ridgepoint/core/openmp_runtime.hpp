// SPDX-License-Identifier: MIT
#pragma once

#include <dlfcn.h>

#include <bit>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The OpenMP runtime that another library (oneDNN, a BLAS) loaded into this process, looked up by its function names
/// at run time. This library has its own threads (core/team.hpp): nothing in it is compiled with OpenMP.
/// Example:
///   if (const rp::openmp_runtime openmp; openmp.found()) openmp.set_threads(2);
class openmp_runtime {
 public:
  /// Returns false in a process without one, or with a statically linked one.
  [[nodiscard]] bool found() const noexcept { return max_threads_ != nullptr && set_threads_ != nullptr; }
  /// Returns the maximum number of threads of the next region that this thread opens.
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
