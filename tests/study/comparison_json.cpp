// SPDX-License-Identifier: MIT
#include <ridgepoint/study/comparison_json.hpp>

#include <doctest/doctest.h>

namespace study = ridgepoint::study;

TEST_CASE("a comparison as JSON") {
  const study::measured_set a{.source = "a.json",
                              .format = "x",
                              .circumstances = {{"threads", "1"}},
                              .rows = {{.name = "row", .samples = {1, 1, 1, 1, 1}}, {.name = "few", .samples = {1}}}};
  study::measured_set b = a;
  b.circumstances["threads"] = "2";
  for (double& sample : b.rows[0].samples) sample = 2;
  b.rows.push_back({.name = "new"});
  const study::comparison_options options{.gate = 0.05};
  const auto document = to_json_document(study::compare(a, b, options), a, b, options);
  CHECK(document["schema"] == "ridgepoint.compare");
  CHECK(document["schema_version"] == 1);
  CHECK(document["a"]["source"] == "a.json");
  CHECK(document["differences"][0] == "threads: 1 and 2");
  CHECK(document["gate"] == 0.05);
  CHECK(document["paired"] == false);
  CHECK(document["rows"][0]["verdict"] == "slower");
  CHECK(document["rows"][0]["speedup"] == 0.5);
  CHECK(document["rows"][0]["interval"][0] == 0.5);
  CHECK(document["rows"][0]["interval"][1] == 0.5);
  CHECK(document["rows"][0]["wide"] == false);
  CHECK(document["rows"][0]["a"]["samples"] == 5);
  CHECK(document["rows"][1]["verdict"] == "can't tell");
  CHECK(document["rows"][1]["reason"] == "A has 1, B has 1 samples; needs 5");
  CHECK(!document["rows"][1].contains("speedup"));
  CHECK(document["only_b"][0] == "new");
  CHECK(document["counts"]["slower"] == 1);
  CHECK(document["counts"]["can't tell"] == 1);
  CHECK(document["geometric_mean"] == 0.5);
}
