// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/environment.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;

TEST_CASE("the environment is collected even if the machine hides some facts") {
  setenv("OPENBLAS_CORETYPE", "Haswell", 1);
  setenv("LIBXSMM_TARGET", "hsw", 1);
  const rp::environment e = rp::observe_environment();
  unsetenv("OPENBLAS_CORETYPE");
  unsetenv("LIBXSMM_TARGET");
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
  CHECK(has(e.variables, "LIBXSMM_TARGET=hsw"));
  CHECK(has(rp::suspicions(e), "OPENBLAS_CORETYPE=Haswell is set"));
  CHECK(rp::steal_share(e, e) == 0);
  CHECK(has(rp::suspicions(e), "this system does not report: ") == !e.unknown.empty());
}

TEST_CASE("the documented variable for the number of threads is not suspicious") {
  rp::environment e;
  e.governor = "performance";
  e.variables = {"OMP_NUM_THREADS=12"};
  CHECK(rp::suspicions(e).empty());
  for (const char* odd : {"OMP_NUM_THREADS=", "OMP_NUM_THREADS=0", "OMP_NUM_THREADS=2,1", "OMP_NUM_THREADSX=2",
                          "OMP_WAIT_POLICY=active"}) {
    e.variables = {odd};
    CHECK_MESSAGE(rp::suspicions(e).size() == 1, odd);
  }
}

TEST_CASE("each suspicious fact is one sentence, an idle machine has none") {
  rp::environment e;
  e.governor = "performance";
  CHECK(rp::suspicions(e).empty());
  e.governor = "powersave";
  e.debug_build = e.fast_math = e.flush_to_zero = true;
  e.load_1min = 2;
  e.cores_allowed = 4;
  e.cores_quota = 0.5;
  CHECK(rp::suspicions(e).size() == 6);
  e.unknown = {"CPU model", "load average"};
  CHECK(rp::suspicions(e).back() == "this system does not report: CPU model, load average");
  e.unknown.clear();
  rp::environment later = e;
  later.ticks += 100;
  later.steal_ticks += 5;
  CHECK(rp::steal_share(e, later) == near(0.05));
  CHECK(rp::steal_share(later, e) == 0);  // the counter is missing now, or was reset
  e.steal_share = 0.01;
  CHECK(rp::suspicions(e).size() == 6);
  e.steal_share = 0.05;
  CHECK(rp::suspicions(e).back() == "the host took 5.00 % of the time away");
}
