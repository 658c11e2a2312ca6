// SPDX-License-Identifier: MIT
#include <ridgepoint/study/measured/load_json.hpp>

#include <doctest/doctest.h>

namespace rp = ridgepoint;
namespace study = ridgepoint::study;

namespace {

rp::json flags_document() {
  const auto row = [](const char* set, const std::vector<double>& samples) {
    return rp::json{{"name", "scale"}, {"set", set}, {"unit", "s"}, {"better", "less"}, {"samples", samples}};
  };
  return {{"schema", "ridgepoint.flags"},
          {"schema_version", 1},
          {"circumstances", {{"cpu_model", "Abacus"}, {"set avx", "g++ 12 -mavx"}}},
          {"rows", {row("x86-64", {2e-6, 3e-6}), row("avx", {1e-6})}}};
}
study::measured_set read_flags(const rp::json& document) {
  const rp::json read = rp::parse_strict(document.dump(), "flags.json");
  return study::flags_set({read, "flags.json: "});
}

}  // namespace

TEST_CASE("flags: a row for every benchmark and set, with the flags of the sets") {
  const study::measured_set set = read_flags(flags_document());
  CHECK(set.format == "ridgepoint flags");
  CHECK(set.circumstances.at("set avx") == "g++ 12 -mavx");
  REQUIRE(set.rows.size() == 2);
  CHECK(set.rows[0].name == "scale x86-64");
  CHECK(set.rows[0].samples == std::vector<double>{2e-6, 3e-6});
  CHECK(set.rows[1].name == "scale avx");
  CHECK(set.rows[1].better == study::better::less);
  rp::json other = flags_document();
  other["circumstances"]["set avx"] = "g++ 12 -mavx -O3";
  CHECK(study::differences(set, read_flags(other)) ==
        std::vector<std::string>{"set avx: g++ 12 -mavx and g++ 12 -mavx -O3"});
}

TEST_CASE("flags: errors are reported with their place") {
  using at = rp::json::json_pointer;
  const auto refusal = [](const at& where, const rp::json& value, const char* message) {
    rp::json document = flags_document();
    document[where] = value;
    CHECK_THROWS_WITH_AS(static_cast<void>(read_flags(document)), message, rp::data_error);
  };
  refusal(at("/schema_version"), 2, "flags.json: schema_version is 2; must be 1");
  refusal(at("/rows/0/better"), "most", "flags.json: rows[0].better is most; must be less or more");
  refusal(at("/rows/1/samples/0"), "x", "flags.json: rows[1].samples[0] is \"x\"; must be a number >= 0");
  refusal(at("/circumstances/cpu_model"), 1, "flags.json: circumstances.cpu_model is 1; must be a string");
}
