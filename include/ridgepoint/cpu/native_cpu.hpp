// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <string>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/core/bfloat16.hpp>
#include <ridgepoint/core/float_control.hpp>
#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/core/thread_count.hpp>
#include <ridgepoint/simd/isa.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The SIMD CPU, with the instruction set this translation unit is compiled for (cpu/cpu.hpp chooses at run time).
///
/// Results are bitwise identical for any number of threads.
/// Example:
///   const rp::native_cpu all_cores;
///   const rp::native_cpu one_core(1);
struct native_cpu : host_memory {
  int threads = 0;                                                      // 0: all cores this process may use
  ridgepoint::subnormals subnormals = ridgepoint::subnormals::flushed;  // in recurrent layers, which may decay to them

  constexpr native_cpu() = default;
  /// Throws: value_error unless 0 <= threads <= 1024.
  explicit constexpr native_cpu(int threads_, ridgepoint::subnormals treated = ridgepoint::subnormals::flushed)
      : threads(threads_), subnormals(treated) {
    check_thread_count("native_cpu", threads);
  }
  [[nodiscard]] int thread_count() const noexcept { return threads > 0 ? threads : available_threads(); }
  [[nodiscard]] static std::string name() { return concat("ridgepoint.", simd::native::name); }
};

/// What the CPU's kernels read and write: numbers it computes in, and bfloat16, which it computes in float.
template <class T>
concept cpu_element = std::floating_point<T> || std::same_as<T, bfloat16>;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
