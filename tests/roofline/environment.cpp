// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/environment.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;

TEST_CASE("the environment is observed, whatever this machine hides") {
  setenv("OPENBLAS_CORETYPE", "Haswell", 1);
  const rp::environment e = rp::observe_environment();
  unsetenv("OPENBLAS_CORETYPE");
  CHECK(e.cores_allowed >= 1);
  CHECK_FALSE(e.cpu_model.empty());
  CHECK_FALSE(e.hypervisor.empty());
  CHECK_FALSE(e.governor.empty());
  CHECK_FALSE(e.compiler.empty());
  const auto has = [](const std::vector<std::string>& lines, const char* text) {
    for (const std::string& line : lines)
      if (line.find(text) != std::string::npos) return true;
    return false;
  };
  CHECK(has(e.variables, "OPENBLAS_CORETYPE=Haswell"));
  CHECK(has(rp::suspicions(e), "OPENBLAS_CORETYPE=Haswell is set"));
  CHECK(rp::steal_share(e, e) == 0);
}

TEST_CASE("each suspicious fact is one sentence, a quiet machine has none") {
  rp::environment e;
  e.governor = "performance";
  e.openmp = true;
  CHECK(rp::suspicions(e).empty());
  e.governor = "powersave";
  e.debug_build = e.fast_math = e.flush_to_zero = true;
  e.openmp = false;
  e.load_1min = 2;
  e.cores_allowed = 4;
  e.cores_quota = 0.5;
  CHECK(rp::suspicions(e).size() == 7);
  rp::environment later = e;
  later.ticks += 100;
  later.steal_ticks += 5;
  CHECK(rp::steal_share(e, later) == near(0.05));
  e.steal_share = 0.01;
  CHECK(rp::suspicions(e).size() == 7);
  e.steal_share = 0.05;
  CHECK(rp::suspicions(e).back() == "the host took 5.00 % of the time away");
}
