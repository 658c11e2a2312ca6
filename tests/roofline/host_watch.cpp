// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/environment.hpp>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <chrono>

namespace rp = ridgepoint;

namespace {
void spin_for_s(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}
}  // namespace

TEST_CASE("ticks grow, and include idle and stolen ones") {
  const rp::core_ticks first = rp::read_core_ticks();
  spin_for_s(0.05);
  const rp::core_ticks later = rp::read_core_ticks();
  CHECK(later.all >= first.all);
  CHECK(later.idle + later.steal <= later.all);
}

TEST_CASE("load of another process is detected, load of this one is not; too short a time reports nothing") {
  const rp::host_watch none;
  CHECK(none.so_far() == rp::disturbance{});
  if (rp::read_core_ticks().all == 0) return;  // this system does not report ticks
  const pid_t other = fork();
  if (other == 0)
    for (;;) {
    }
  REQUIRE(other > 0);
  const rp::host_watch loaded;
  spin_for_s(1);
  const rp::disturbance seen = loaded.so_far();
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  CHECK(seen.other_cores > 0.2);  // on a single core they share it
  CHECK(seen.busy());
  CHECK(seen.slowdown == 1);
}
