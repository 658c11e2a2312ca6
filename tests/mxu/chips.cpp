// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/chips.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <utility>

#include <ridgepoint/mxu/chip.hpp>

#include "support/near.hpp"
#include "support/reference_data.hpp"

namespace rp = ridgepoint;
namespace tpu = ridgepoint::tpu;

TEST_CASE("chips: every published chip is valid, and its figures match its machine") {
  CHECK(tpu::published_chips().size() == 5);
  for (const tpu::chip& c : tpu::published_chips()) {
    CAPTURE(c.name);
    CHECK_NOTHROW(tpu::check(c));
    const rp::machine& m = rp::find_machine(c.machine);
    CHECK(m.peak({.dtype = c.dtype})->per_s == c.quoted_flop_per_s);
    CHECK(m.bandwidth(m.levels().front())->per_s == near(c.hbm_bytes_per_s * static_cast<double>(c.cores())));
    const double ratio = c.peak_flop_per_s(c.cores()) / c.quoted_flop_per_s;
    CHECK(ratio == near(c.name == "v2" ? 183.5 / 180 : 1, 1e-3));  // 180 TFLOP/s is rounded
  }
}

TEST_CASE("chips: clocks, ridge points and vector rates match the papers") {
  CHECK(tpu::find_chip("v1").clock_hz == near(700e6));
  CHECK(tpu::find_chip("v2").clock_hz == near(700e6));
  CHECK(tpu::find_chip("v3").clock_hz == near(801.1e6, 1e-3));  // implied by 420 TFLOP/s
  CHECK(tpu::find_chip("v3-spec").clock_hz == near(940e6));
  CHECK(tpu::find_chip("v2").vector_flop_per_s() == near(1.434e12, 1e-3));
  CHECK(tpu::find_chip("v1").tile_bytes() == 65536);
  const tpu::chip &v2 = tpu::find_chip("v2"), &spec = tpu::find_chip("v2-spec");
  CHECK(v2.fit.update_stream * v2.hbm_bytes_per_s == near(spec.fit.update_stream * spec.hbm_bytes_per_s));
}

TEST_CASE("chips: cores, arrays, clocks, memories and links of tpu_params.csv" *
          doctest::test_suite("reference_data")) {
  const rp::csv_table t = rp::load_csv((reference_data::folder() / "tpu_params.csv").string());
  using names = std::pair<const char*, const char*>;  // of the chip, and of its column
  for (const names& of :
       {names{"v2", "v2_paradnn"}, {"v2-spec", "v2_spec"}, {"v3", "v3_paradnn"}, {"v3-spec", "v3_spec"}}) {
    const char* const name = of.first;
    CAPTURE(name);
    const tpu::chip& c = tpu::find_chip(name);
    const auto published = [&](const char* parameter) {
      for (std::size_t row = 0; row < t.size(); ++row)
        if (t.text(row, t.column("param")) == parameter) return t.number(row, t.column(of.second));
      return std::numeric_limits<double>::quiet_NaN();
    };
    CHECK(c.cores_per_chip == published("cores_per_chip"));
    CHECK(c.mxus_per_core == published("mxu_per_core"));
    CHECK(c.array.rows == published("mxu_rows"));
    CHECK(c.array.cols == published("mxu_cols"));
    CHECK(c.clock_hz == near(1e6 * published("clock_MHz"), 1e-3));
    CHECK(c.quoted_flop_per_s == near(1e12 * published("peak_per_board_4chips"), 1e-3));
    CHECK(c.hbm_bytes_per_s * static_cast<double>(c.cores()) == near(1e9 * published("mem_GBps_per_board")));
    CHECK(static_cast<double>(c.hbm_bytes) == published("mem_GiB_per_core") * (1 << 30));
    CHECK(static_cast<double>(c.vmem_bytes) == published("vmem_MiB_per_core") * (1 << 20));
    CHECK(c.vector_alus == published("vector_alu_slots"));
    CHECK(c.ici_links == published("ici_links_per_chip"));
    CHECK(c.ici_bytes_per_s == near(1e9 / 8 * published("ici_Gbps_per_link_per_dir")));
  }
}

TEST_CASE("chips: the error for an unknown name lists the known names") {
  CHECK_THROWS_WITH_AS(static_cast<void>(tpu::find_chip("v9")), doctest::Contains("v1, v2, v2-spec, v3, v3-spec"),
                       rp::value_error);
}

TEST_CASE("chips: a number out of range is refused with its field") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const auto refuses = [](const char* field, const auto& spoil) {
    tpu::chip c = tpu::find_chip("v2");
    spoil(c);
    CHECK_THROWS_WITH_AS(tpu::check(c), doctest::Contains(field), rp::value_error);
  };
  refuses("name", [](tpu::chip& c) { c.name.clear(); });
  refuses("dtype", [](tpu::chip& c) { c.dtype = "fp4"; });
  refuses("clock_hz", [&](tpu::chip& c) { c.clock_hz = nan; });
  refuses("clock_hz", [&](tpu::chip& c) { c.clock_hz = infinity; });
  refuses("hbm_bytes_per_s", [](tpu::chip& c) { c.hbm_bytes_per_s = 0; });
  refuses("array.rows", [](tpu::chip& c) { c.array.rows = 0; });
  refuses("array.cols", [](tpu::chip& c) { c.array.cols = 1 << 20; });
  refuses("mxus_per_core", [](tpu::chip& c) { c.mxus_per_core = -1; });
  refuses("mxu_efficiency", [](tpu::chip& c) { c.fit.mxu_efficiency = 1.01; });
  refuses("product_stream", [&](tpu::chip& c) { c.fit.product_stream = nan; });
  refuses("overlap_exponent", [](tpu::chip& c) { c.fit.overlap_exponent = 0.5; });
  refuses("infeed_latency_s", [](tpu::chip& c) { c.fit.infeed_latency_s = -1; });
  refuses("links", [](tpu::chip& c) { c.fit.all_reduce_bytes_per_s = 0, c.ici_links = 0; });
}
