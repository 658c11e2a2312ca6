// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/core/float_control.hpp>
#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/core/team.hpp>
#include <ridgepoint/cpu/caches.hpp>
#include <ridgepoint/cpu/cpu_backend.hpp>
#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/kernels/native_unit.hpp>
#include <ridgepoint/simd/isa.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The SIMD CPU backend for the instruction set of this translation unit (cpu/cpu.hpp selects at run time).
///
/// Results are bitwise identical for any number of threads.
/// Example:
///   const rp::native_cpu all_cores;
///   const rp::native_cpu one_core(1);
struct native_cpu : host_memory {
  int threads = 0;                                                      // 0: all cores this process may use
  ridgepoint::subnormals subnormals = ridgepoint::subnormals::flushed;  // in recurrent layers, whose state may decay

  /// Throws: value_error if RIDGEPOINT_CACHES is malformed (cpu/caches.hpp).
  constexpr native_cpu() : native_cpu(0) {}
  /// Throws: value_error unless 0 <= threads <= 1024, or if RIDGEPOINT_CACHES is malformed.
  explicit constexpr native_cpu(int threads_, ridgepoint::subnormals treated = ridgepoint::subnormals::flushed)
      : native_cpu(checked{}, threads_, treated) {
    check_thread_count("native_cpu", threads);
    if (!std::is_constant_evaluated()) static_cast<void>(host_caches());
  }
  struct checked {};
  /// Checks nothing: rp::cpu already did.
  constexpr native_cpu(checked, int threads_, ridgepoint::subnormals treated)
      : threads(threads_), subnormals(treated) {}
  [[nodiscard]] int thread_count() const noexcept { return threads > 0 ? threads : available_threads(); }
  /// Returns this backend on one thread.
  [[nodiscard]] constexpr native_cpu on_one_thread() const noexcept { return {checked{}, 1, subnormals}; }
  [[nodiscard]] static std::string name() { return concat("ridgepoint.", simd::native::name); }
  [[nodiscard]] static constexpr kernels::vector_unit vectors() noexcept { return kernels::native_unit; }
  /// Runs a kernel of this translation unit.
  template <kernels::kernel K, class... Args>
  static decltype(auto) call(Args&&... args) noexcept {
    return K::run(std::forward<Args>(args)...);
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
