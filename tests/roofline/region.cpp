// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/region.hpp>

#include <thread>
#include <type_traits>

#include "synthetic.hpp"

namespace rp = ridgepoint;

TEST_CASE("regions of one name are one row with summed work") {
  rp::recorder recorder;
  for (int i = 0; i < 3; ++i) rp::region r(recorder, "mine", synthetic::work_of(100, 10));
  { rp::region r(recorder, "other", synthetic::work_of(1, 2)); }
  const rp::profile p = recorder.profile("test");
  REQUIRE(p.rows.size() == 2);
  CHECK(p.rows[0].layer == "mine");
  CHECK(p.rows[0].shape == "3 calls");
  CHECK(p.rows[0].receipt == synthetic::work_of(300, 30));
  CHECK(p.rows[0].footprint_bytes == 10);
  CHECK(p.rows[1].shape == "1 call");
  CHECK(p.rows[0].elapsed_s > 0);
  CHECK(p.residual_s() > 0);
  recorder.reset();
  CHECK(recorder.profile("empty").rows.empty());
}

TEST_CASE("regions on several threads lose no work") {
  rp::recorder recorder;
  const auto work = [&] {
    for (int i = 0; i < 10'000; ++i) rp::region r(recorder, "mine", synthetic::work_of(1, 1));
  };
  std::thread a(work), b(work);
  for (int i = 0; i < 100; ++i) CHECK(recorder.profile("meanwhile").rows.size() <= 1);
  a.join();
  b.join();
  CHECK(recorder.profile("test").rows.at(0).receipt.flop == 20'000);
}

TEST_CASE("a disabled region is empty") { CHECK(std::is_empty_v<rp::basic_region<false>>); }
