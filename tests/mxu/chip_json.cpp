// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/chip_json.hpp>

#include <doctest/doctest.h>

#include <filesystem>

#include <ridgepoint/mxu/chips.hpp>

#include "support/mutate.hpp"

namespace rp = ridgepoint;
namespace tpu = ridgepoint::tpu;
using nlohmann::json;

namespace {

tpu::chip parse(const std::string& text) {
  const json document = rp::parse_strict(text, "chip.json");
  return tpu::chip_from_json({document, "chip.json: "});
}
template <class Spoil>
void refuses(const char* message, Spoil&& spoil) {
  json document = to_json_document(tpu::find_chip("v2"));
  spoil(document);
  CHECK_THROWS_WITH_AS(static_cast<void>(parse(document.dump())), doctest::Contains(message), rp::data_error);
}

}  // namespace

TEST_CASE("a chip survives a round trip through its file") {
  const std::string path = (std::filesystem::temp_directory_path() / "ridgepoint_chip_json_test.json").string();
  for (const tpu::chip& c : tpu::published_chips()) {
    save_chip(path, c);
    CHECK(tpu::load_chip(path) == c);
  }
  std::filesystem::remove(path);
  CHECK_THROWS_AS(static_cast<void>(tpu::load_chip(path)), rp::data_error);
  CHECK_THROWS_AS(save_chip("/no/such/directory/c.json", tpu::find_chip("v1")), rp::data_error);
}

TEST_CASE("a document that is not a chip is refused with the place, the value and the expectation") {
  refuses("schema is other", [](json& d) { d["schema"] = "other"; });
  refuses("schema_version is 2", [](json& d) { d["schema_version"] = 2; });
  refuses("name is missing", [](json& d) { d.erase("name"); });
  refuses("clock_hz is -1.0", [](json& d) { d["clock_hz"] = -1.0; });
  refuses("clock_hz is null", [](json& d) { d["clock_hz"] = nullptr; });
  refuses("chips is 1.5", [](json& d) { d["chips"] = 1.5; });
  refuses("chips is -4", [](json& d) { d["chips"] = -4; });
  refuses("array.rows is 0", [](json& d) { d["array_rows"] = 0; });
  refuses("hbm_bytes is 18446744073709551615", [](json& d) { d["hbm_bytes"] = ~std::uint64_t{0}; });
  refuses("fit is missing", [](json& d) { d.erase("fit"); });
  refuses("fit.op_latency_s is \"2us\"", [](json& d) { d["fit"]["op_latency_s"] = "2us"; });
  refuses("mxu_efficiency is 2", [](json& d) { d["fit"]["mxu_efficiency"] = 2; });
  refuses("output_stationary is 2", [](json& d) { d["output_stationary"] = 2; });
}

TEST_CASE("1,000 mutated documents: a chip or a data_error, nothing else") {
  const std::string good = to_json_document(tpu::find_chip("v3")).dump();
  int refused = 0;
  mutate::at_random(good, 1'000, mutate::json_words, [&](const std::string& bad) {
    try {
      tpu::check(parse(bad));  // an accepted chip is valid
    } catch (const rp::data_error&) {
      ++refused;
    }
  });
  CHECK(refused > 500);
}
