// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/simd/isa.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The SIMD CPU, with the instruction set this translation unit is compiled for (cpu/dispatch.hpp chooses at run time).
///
/// Results are bitwise identical for any number of threads.
/// Example:
///   const rp::cpu all_cores;
///   const rp::cpu one_core(1);
struct cpu : host_memory {
  int threads = 0;  // 0: all cores this process may use

  constexpr cpu() = default;
  /// Throws: value_error unless 0 <= threads <= 1024.
  explicit constexpr cpu(int threads_) : threads(threads_) { check_thread_count("cpu", threads); }
  [[nodiscard]] int thread_count() const noexcept { return threads > 0 ? threads : available_threads(); }
  [[nodiscard]] static std::string name() { return concat("ridgepoint.", simd::native::name); }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
