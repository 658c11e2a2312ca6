// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>

#include <ridgepoint/reference/all.hpp>

/// A backend whose ops take a known time, to check a profile against the time spent.
namespace timed {

namespace rp = ridgepoint;
using std::chrono::nanoseconds;

/// A clock that advances only when time is spent.
struct virtual_clock {
  using duration = nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<virtual_clock>;
  static constexpr bool is_steady = true;
  static time_point now() { return time_point(spent); }
  static void spend(nanoseconds time) { spent += time; }
  static inline nanoseconds spent{0};
};

/// The machine's clock; spending time means waiting.
struct wall_clock : std::chrono::steady_clock {
  static void spend(nanoseconds time) {
    for (const time_point end = now() + time; now() < end;) {
    }
  }
};

/// Cost of an op: 1 µs and 1 ns for each FLOP and byte, so that ops of a network rarely cost the same.
inline nanoseconds cost_of(const rp::work& receipt) { return nanoseconds(1000 + receipt.flop + receipt.bytes.total()); }

/// The reference backend, but each op takes pace · cost_of(its receipt), and waiting for the ops takes pace · `wait`.
template <class Clock>
struct backend : rp::host_memory {
  static constexpr nanoseconds wait{500};
  static inline int pace = 1;
  static void spend(nanoseconds time) { Clock::spend(pace * time); }
  static void synchronize() { spend(wait); }
  [[nodiscard]] static std::string name() { return "timed"; }

  template <class Args>
    requires rp::executes<rp::reference_backend, Args>
  friend void execute(const backend&, const Args& args) {
    execute(rp::reference, args);
    spend(cost_of(receipt(args)));
  }
};

}  // namespace timed
