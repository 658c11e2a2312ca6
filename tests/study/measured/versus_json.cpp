// SPDX-License-Identifier: MIT
#include <ridgepoint/study/measured/load_json.hpp>

#include <doctest/doctest.h>

namespace rp = ridgepoint;
namespace study = ridgepoint::study;

namespace {

rp::json versus_document() {
  return {{"schema", "ridgepoint.versus"},
          {"schema_version", 2},
          {"what", "gemm"},
          {"type", "f32"},
          {"transpose", "nn"},
          {"unit", "FLOP/s"},
          {"threads", 1},
          {"environment", {{"cpu_model", "Abacus"}, {"compiler", "gcc 12.2.0"}, {"fast_math", false}}},
          {"rows",
           {{{"shape", "8x8x8"},
             {"rates", {{"blis", 2e9}, {"ours", 1e9}}},
             {"windows_s", {{"ours", {2e-6, 1e-6}}}},
             {"packed", {{"rates", {{"ours", 1e9}}}, {"windows_s", {{"ours", {3e-6}}}}}}},
            {{"shape", "mlp"}, {"rates", {{"ours", 1e3}}}, {"steps", {{"ours", {{"seconds", {1e-3, 2e-3}}}}}}}}}};
}
study::measured_set read_versus(const rp::json& document) {
  const rp::json read = rp::parse_strict(document.dump(), "versus.json");
  return study::versus_set({read, "versus.json: "});
}

}  // namespace

TEST_CASE("versus: a row for every shape and implementation, windows as samples") {
  const study::measured_set set = read_versus(versus_document());
  CHECK(set.circumstances ==
        std::map<std::string, std::string>{
            {"compiler", "gcc 12.2.0"}, {"cpu_model", "Abacus"}, {"fast_math", "false"}, {"threads", "1"}});
  REQUIRE(set.rows.size() == 4);
  CHECK(set.rows[0].name == "gemm f32 nn 8x8x8 blis");  // the best rate only
  CHECK(set.rows[0].samples == std::vector<double>{2e9});
  CHECK(set.rows[0].unit == "FLOP/s");
  CHECK(set.rows[0].better == study::better::more);
  CHECK(set.rows[1].name == "gemm f32 nn 8x8x8 ours");
  CHECK(set.rows[1].samples == std::vector<double>{2e-6, 1e-6});
  CHECK(set.rows[1].unit == "s");
  CHECK(set.rows[2].name == "gemm f32 nn 8x8x8 packed ours");
  CHECK(set.rows[3].samples == std::vector<double>{1e-3, 2e-3});
}

TEST_CASE("versus: errors are reported with their place") {
  const auto refusal = [](const rp::json::json_pointer& where, const rp::json& value, const char* message) {
    rp::json document = versus_document();
    document[where] = value;
    CHECK_THROWS_WITH_AS(static_cast<void>(read_versus(document)), message, rp::data_error);
  };
  using at = rp::json::json_pointer;
  refusal(at("/schema_version"), 1, "versus.json: schema_version is 1; must be 2");
  refusal(at("/rows/0/rates/blis"), "fast", "versus.json: rows[0].rates.blis is \"fast\"; must be a number >= 0");
  refusal(at("/rows/0/windows_s/ours/1"), -1, "versus.json: rows[0].windows_s.ours[1] is -1; must be a number >= 0");
  refusal(at("/rows/0/windows_s/ours"), 1, "versus.json: rows[0].windows_s.ours is 1; must be an array");
  refusal(at("/environment/cpu_model"), nullptr,
          "versus.json: environment.cpu_model is null; must be a text, a number, true or false");
}
