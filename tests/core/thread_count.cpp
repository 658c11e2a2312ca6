// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <ridgepoint/core/team.hpp>

namespace rp = ridgepoint;

TEST_CASE("usable cores are listed in order") {
  std::vector<int> cores;
  REQUIRE(rp::detail::for_each_allowed_core([&](int core) { cores.push_back(core); }));
  CHECK(std::is_sorted(cores.begin(), cores.end()));
  CHECK(static_cast<int>(cores.size()) == rp::detail::count_allowed_cores());
  CHECK(static_cast<int>(cores.size()) == rp::available_threads());
}

TEST_CASE("this process has a core; a thread count outside 0 to 1024 is refused with the caller's name") {
  CHECK(rp::available_threads() >= 1);
  for (const int threads : {0, 1, 1024}) CHECK_NOTHROW(rp::check_thread_count("cpu", threads));
  CHECK_THROWS_WITH_AS(rp::check_thread_count("cpu", 1025), "cpu: threads is 1025; must be 0 (all) to 1024",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(rp::check_thread_count("cpu", -1), "cpu: threads is -1; must be 0 (all) to 1024",
                       rp::value_error);
}
