// SPDX-License-Identifier: MIT
#include <ridgepoint/study/measured/load_json.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/roofline/profile_json.hpp>

#include "roofline/synthetic.hpp"

namespace rp = ridgepoint;
namespace study = ridgepoint::study;

TEST_CASE("roofline: a row for every op of a step, and one for the step") {
  const rp::profile p = synthetic::profile();
  rp::environment at;
  at.cpu_model = "Abacus";
  rp::json document = rp::to_json_document(p, synthetic::machine(), at);
  document["profile"]["rows"].push_back(document["profile"]["rows"][0]);
  const rp::json read = rp::parse_strict(document.dump(), "roofline.json");
  const study::measured_set set = study::roofline_set({read, "roofline.json: "});
  CHECK(set.circumstances.at("cpu_model") == "Abacus");
  CHECK(set.circumstances.at("threads") == std::to_string(p.threads));
  CHECK(set.circumstances.at("backend") == p.backend);
  REQUIRE(set.rows.size() == p.rows.size() + 2);
  CHECK(set.rows[0].name == rp::concat(p.rows[0].layer, ' ', to_string(p.rows[0].pass), ' ', p.rows[0].shape));
  CHECK(set.rows[0].samples == std::vector<double>{p.rows[0].elapsed_s});
  CHECK(set.rows[p.rows.size()].name == set.rows[0].name + " #2");
  CHECK(set.rows.back().name == "step");
  CHECK(set.rows.back().samples == std::vector<double>{p.step_s});
}
