// SPDX-License-Identifier: MIT
#pragma once

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string_view>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/scope_exit.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// Calls take(core) for each core that this process may use by its affinity, of a machine of any size. Says whether the
/// system knows them.
template <class Take>
bool for_each_allowed_core(const Take& take) noexcept {
  constexpr int most = 1 << 20;
  for (int cores = CPU_SETSIZE; cores <= most; cores *= 2) {  // EINVAL: the kernel's set is larger
    cpu_set_t* const allowed = CPU_ALLOC(static_cast<std::size_t>(cores));
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(cores));
    const scope_exit free([=] { CPU_FREE(allowed); });
    if (allowed == nullptr) return false;
    CPU_ZERO_S(bytes, allowed);
    if (sched_getaffinity(0, bytes, allowed) == 0) {
      for (int core = 0; core < cores; ++core)
        if (CPU_ISSET_S(static_cast<std::size_t>(core), bytes, allowed)) take(core);
      return true;
    }
    if (errno != EINVAL) return false;
  }
  return false;
}
/// Those cores; 0 where the system does not say.
[[nodiscard]] inline int count_allowed_cores() noexcept {
  int count = 0;
  return for_each_allowed_core([&](int) { ++count; }) ? count : 0;
}
}  // namespace detail

/// Cores this process may use, by its affinity when it first asked: what `threads = 0` stands for. All that are online
/// where the system does not say its affinity.
[[nodiscard]] inline int available_threads() noexcept {
  static const int count = [] {
    const int allowed = detail::count_allowed_cores();
    return allowed > 0 ? allowed : static_cast<int>(std::clamp(sysconf(_SC_NPROCESSORS_ONLN), 1L, 1024L));
  }();
  return count;
}

/// Throws: value_error unless 0 <= threads <= 1024.
constexpr void check_thread_count(std::string_view who, int threads) {
  require<value_error>(threads >= 0 && threads <= 1024, who, ": threads is ", threads, "; must be 0 (all) to 1024");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
