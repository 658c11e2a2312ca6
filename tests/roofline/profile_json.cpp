// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/profile_json.hpp>

#include <filesystem>

#include "support/near.hpp"
#include "synthetic.hpp"

namespace rp = ridgepoint;
using nlohmann::json;

TEST_CASE("roofline.json holds profile, machine and environment, and reads back") {
  const std::string path = (std::filesystem::temp_directory_path() / "ridgepoint_profile_json_test.json").string();
  rp::profile p = synthetic::profile();
  p.meanwhile = {.other_cores = 1, .steal_share = 0.25, .slowdown = 2, .attempts = 2};
  p.rows[1].backend = "another";
  p.rows[1].algorithm = "packed";
  p.rows[1].executed_flop = 77;
  p.rows[1].launches = 3;
  p.rows[0].receipt.bytes.type = rp::element::f64;
  rp::save_roofline(path, p, synthetic::machine());
  const rp::roofline_record record = rp::load_roofline(path);
  CHECK(record.machine == synthetic::machine());
  CHECK(record.profile.title == p.title);
  CHECK(record.profile.backend == p.backend);
  CHECK(record.profile.step_s == p.step_s);
  CHECK(record.profile.residual_s() == p.residual_s());
  CHECK(record.profile.meanwhile == p.meanwhile);
  REQUIRE(record.profile.rows.size() == p.rows.size());
  for (std::size_t i = 0; i < p.rows.size(); ++i) {
    CHECK(record.profile.rows[i].layer == p.rows[i].layer);
    CHECK(record.profile.rows[i].pass == p.rows[i].pass);
    CHECK(record.profile.rows[i].receipt == p.rows[i].receipt);
    CHECK(record.profile.rows[i].receipt.bytes.type == p.rows[i].receipt.bytes.type);
    CHECK(record.profile.rows[i].backend == p.rows[i].backend);
    CHECK(record.profile.rows[i].algorithm == p.rows[i].algorithm);
    CHECK(record.profile.rows[i].executed_flop == p.rows[i].executed_flop);
    CHECK(record.profile.rows[i].launches == p.rows[i].launches);
    CHECK(record.profile.rows[i].elapsed_s == p.rows[i].elapsed_s);
    CHECK(record.profile.rows[i].footprint_bytes == p.rows[i].footprint_bytes);
  }
  std::filesystem::remove(path);
}

TEST_CASE("rows contain their placement, the environment its suspicions") {
  const json d = rp::to_json_document(synthetic::profile(), synthetic::machine(), rp::observe_environment());
  CHECK(d["schema"] == "ridgepoint.roofline");
  CHECK(d["flop_per_mac"] == 2);
  CHECK(d["profile"]["rows"][0]["placement"]["bound"] == "compute");
  CHECK(d["profile"]["rows"][1]["placement"]["efficiency"] == near(0.5));
  CHECK(d["profile"]["residual_s"] == near(1e-3));
  CHECK_FALSE(d["profile"]["rows"][0].contains("backend"));
  CHECK(d["environment"]["suspicions"].is_array());
  CHECK(d["environment"]["cores_allowed"] >= 1);
  CHECK(d["environment"]["steal_share"] == 0);
  CHECK(d["environment"]["time"].get<std::string>().size() == std::string("2026-01-31T23:59:59Z").size());
}

TEST_CASE("a row above its roof is suspicious; a modelled profile has no environment") {
  rp::profile p = synthetic::profile();
  p.rows[1].elapsed_s = 1e-3;
  const json measured = rp::to_json_document(p, synthetic::machine(), rp::environment{});
  CHECK(measured["environment"]["suspicions"].back() ==
        "1 of 3 rows are above their roof, most of all adam update: at 150 % of it, so a count or a ceiling is wrong");
  CHECK_FALSE(rp::to_json_document(p, synthetic::machine(), std::nullopt).contains("environment"));
}

TEST_CASE("a record with an unknown pass is refused") {
  const std::string path = (std::filesystem::temp_directory_path() / "ridgepoint_profile_json_bad.json").string();
  json d = rp::to_json_document(synthetic::profile(), synthetic::machine(), {});
  d["profile"]["rows"][2]["pass"] = "sideways";
  rp::write_file(path, d.dump());
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::load_roofline(path)), doctest::Contains("rows[2].pass is sideways"),
                       rp::data_error);
  d["profile"]["rows"][1]["dtype"] = "f128";
  rp::write_file(path, d.dump());
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::load_roofline(path)), doctest::Contains("rows[1].dtype is f128"),
                       rp::data_error);
  std::filesystem::remove(path);
}
