// SPDX-License-Identifier: MIT
#pragma once

#include <sched.h>

#include <string_view>

#include <ridgepoint/core/error.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Cores this process may use, by its affinity when it first asked: what `threads = 0` stands for.
[[nodiscard]] inline int available_threads() noexcept {
  static const int count = [] {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
  }();
  return count;
}

/// Throws: value_error unless 0 <= threads <= 1024.
constexpr void check_thread_count(std::string_view who, int threads) {
  require<value_error>(threads >= 0 && threads <= 1024, who, ": threads is ", threads, "; must be 0 (all) to 1024");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
