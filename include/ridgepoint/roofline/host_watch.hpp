// SPDX-License-Identifier: MIT
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>

#include <ridgepoint/roofline/disturbance.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Clock ticks of all cores since boot; all zero where the system does not say.
struct core_ticks {
  std::uint64_t all = 0, idle = 0, steal = 0;  // steal: the host gave the core to someone else
};
[[nodiscard]] inline core_ticks read_core_ticks() noexcept {
  core_ticks t;
  std::FILE* const stat = std::fopen("/proc/stat", "re");
  if (stat == nullptr) return t;
  unsigned long long user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
  if (std::fscanf(stat, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle, &wait, &irq, &soft,
                  &steal) == 8)
    t = {.all = user + nice + system + idle + wait + irq + soft + steal, .idle = idle + wait, .steal = steal};
  std::fclose(stat);
  return t;
}

/// Watches, from its construction on, what other work takes from this process.
/// Example:
///   const rp::host_watch watch;
///   measure_something();
///   if (watch.so_far().busy()) …
class host_watch {
 public:
  host_watch() noexcept : ticks_(read_core_ticks()), own_s_(own_seconds()), start_(clock::now()) {}

  /// The slowdown stays 1: only who repeated something can tell it.
  [[nodiscard]] disturbance so_far() const noexcept {
    const core_ticks now = read_core_ticks();
    const auto passed = [](std::uint64_t from, std::uint64_t to) {
      return to > from ? static_cast<double>(to - from) : 0;
    };
    const double all = passed(ticks_.all, now.all), steal = passed(ticks_.steal, now.steal);
    const double wall_s = std::chrono::duration<double>(clock::now() - start_).count();
    disturbance d;
    if (all <= 0 || wall_s < least_s) return d;  // a tick is 10 ms: too short to tell
    const double tick_s = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    const double busy_s = (all - steal - passed(ticks_.idle, now.idle)) * tick_s;
    d.steal_share = steal / all;
    d.other_cores = (std::max)(0.0, (busy_s - (own_seconds() - own_s_)) / wall_s);
    return d;
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr double least_s = 0.2;
  /// CPU time of this process.
  [[nodiscard]] static double own_seconds() noexcept {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  core_ticks ticks_;
  double own_s_;
  clock::time_point start_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
