// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/config.hpp>

/// \file
/// Subnormal handling of this thread. Arithmetic with subnormals takes a hundred cycles on many CPUs, so that a state
/// that decays to nothing would be the slowest of all.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Returns the control word of vector arithmetic, MXCSR on x86; 0 elsewhere, where nothing is changed.
[[nodiscard]] inline unsigned float_control() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_stmxcsr();
#else
  return 0;
#endif
}

/// Sets this thread's control word for its lifetime and then restores the previous one; exception flags raised
/// meanwhile stay.
class float_control_scope {
 public:
  explicit float_control_scope(unsigned control) noexcept
      : before_(float_control()), changed_(((control ^ before_) & ~raised) != 0) {
    if (changed_) set(control);
  }
  float_control_scope(const float_control_scope&) = delete;
  float_control_scope& operator=(const float_control_scope&) = delete;
  ~float_control_scope() {
    if (changed_) set(before_ | (float_control() & raised));
  }

 private:
  static constexpr unsigned raised = 0x3F;  // exception flags: left unchanged
  static void set([[maybe_unused]] unsigned control) noexcept {
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(control);
#endif
  }
  unsigned before_;
  bool changed_;
};

/// Handling of subnormals where ops may choose: as zeros, or as the calling thread's control word says.
enum class subnormals { flushed, as_they_are };

/// Flushes subnormal operands and results to zero in this scope and in parallel_for() calls inside it, unless
/// constructed with subnormals::as_they_are.
/// Example:
///   const flush_subnormals here;
class flush_subnormals : float_control_scope {
 public:
  explicit flush_subnormals(subnormals treated = subnormals::flushed) noexcept
      : float_control_scope(float_control() | (treated == subnormals::flushed ? to_zero | are_zero : 0)) {}

 private:
  static constexpr unsigned to_zero = 0x8000, are_zero = 0x0040;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
