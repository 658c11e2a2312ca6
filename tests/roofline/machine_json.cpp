// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/machine_json.hpp>
#include <ridgepoint/roofline/machines.hpp>

#include <filesystem>

#include "support/mutate.hpp"
#include "synthetic.hpp"

namespace rp = ridgepoint;
using nlohmann::json;

namespace {
rp::machine parse(const std::string& text) {
  const json document = rp::parse_strict(text, "test.json");
  return rp::machine_from_json({document, "test.json: "});
}
/// Checks that a damaged copy of the synthetic machine's document is refused with this message.
template <class Spoil>
void refuses(const char* message, Spoil&& spoil) {
  json document = rp::to_json_document(synthetic::machine());
  spoil(document);
  CHECK_THROWS_WITH_AS(parse(document.dump()), doctest::Contains(message), rp::data_error);
}
}  // namespace

TEST_CASE("a machine survives a round trip through its file") {
  const std::string path = (std::filesystem::temp_directory_path() / "ridgepoint_machine_json_test.json").string();
  std::vector<rp::machine> machines = rp::published_machines();
  machines.push_back(synthetic::machine());
  machines.back().launch_s = 2e-6;
  machines.back().ceilings[5].set_bytes = 160 << 20;
  for (const rp::machine& m : machines) {
    rp::save_machine(path, m);
    CHECK(rp::load_machine(path) == m);
  }
  std::filesystem::remove(path);
  CHECK_THROWS_AS(static_cast<void>(rp::load_machine(path)), rp::data_error);
  CHECK_THROWS_AS(rp::save_machine("/no/such/directory/m.json", machines[0]), rp::data_error);
}

TEST_CASE("a document that is not a machine is refused with the place, the value and the expectation") {
  refuses("test.json: schema is other; must be ridgepoint.machine", [](json& d) { d["schema"] = "other"; });
  refuses("schema_version is 2; must be 1", [](json& d) { d["schema_version"] = 2; });
  refuses("launch_s is -1; must be a number from 0 to 1", [](json& d) { d["launch_s"] = -1; });
  refuses("name is missing", [](json& d) { d.erase("name"); });
  refuses("name is 7; must be a string", [](json& d) { d["name"] = 7; });
  refuses("description has 5000 characters", [](json& d) { d["description"] = std::string(5000, 'x'); });
  refuses("ceilings is object; must be an array", [](json& d) { d["ceilings"] = json::object(); });
  refuses("must have at least one", [](json& d) { d["ceilings"] = json::array(); });
  refuses("ceilings[0] is number; must be an object", [](json& d) { d["ceilings"][0] = 1; });
  refuses("ceilings[1].kind is x; must be compute or bandwidth", [](json& d) { d["ceilings"][1]["kind"] = "x"; });
  refuses("ceilings[2].per_s is -1.0; must be a number from 1 to 1e+24",
          [](json& d) { d["ceilings"][2]["per_s"] = -1.0; });
  refuses("per_s is 0; must be a number from 1 to 1e+24", [](json& d) { d["ceilings"][2]["per_s"] = 0; });
  refuses("per_s is 1e+25; must be a number from 1 to", [](json& d) { d["ceilings"][2]["per_s"] = 1e25; });
  refuses("per_s is null", [](json& d) { d["ceilings"][2]["per_s"] = nullptr; });
  refuses("per_s is \"1e9\"", [](json& d) { d["ceilings"][2]["per_s"] = "1e9"; });
  refuses("threads is -1; must be an integer from 0 to 1048576", [](json& d) { d["ceilings"][2]["threads"] = -1; });
  refuses("threads is 1.5", [](json& d) { d["ceilings"][2]["threads"] = 1.5; });
  refuses("capacity_bytes is 18446744073709551615",
          [](json& d) { d["ceilings"][3]["capacity_bytes"] = ~std::uint64_t{0}; });
  refuses("measured is array; must be an object", [](json& d) { d["ceilings"][0]["measured"] = json::array(); });
  refuses("test.json: machine synthetic: ceiling 0: samples is 0; must be > 0",
          [](json& d) { d["ceilings"][0]["measured"]["samples"] = 0; });
}

TEST_CASE("invalid JSON is refused") {
  const std::string good = rp::to_json_document(synthetic::machine()).dump();
  CHECK_NOTHROW(parse(good));
  const auto refuses_text = [](const std::string& text, const char* message) {
    CHECK_THROWS_WITH_AS(parse(text), doctest::Contains(message), rp::data_error);
  };
  refuses_text("", "is not JSON");
  refuses_text("NaN", "is not JSON");
  refuses_text("{\"per_s\": NaN}", "is not JSON");
  refuses_text("{\"per_s\": Infinity}", "is not JSON");
  refuses_text("{\"per_s\": 1e999}", "is not JSON");
  refuses_text("{\"a\": 1, \"a\": 2}", "has the key a twice");
  refuses_text("{\"o\": {\"a\": 1, \"a\": 2}}", "has the key a twice");
  refuses_text(good + "x", "is not JSON");
  refuses_text("\"\xff\xfe\"", "is not JSON");
  refuses_text(std::string(100'000, '['), "nested deeper than 16");
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  refuses_text(nested(17), "nested deeper than 16");
  refuses_text(nested(16), "must be an object");
  refuses_text("[]", "must be an object");
}

TEST_CASE("a file over 1 MiB is refused before it is parsed") {
  const std::string path = (std::filesystem::temp_directory_path() / "ridgepoint_machine_json_big.json").string();
  rp::write_file(path, std::string((1 << 20) + 1, ' '));
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::load_machine(path)), doctest::Contains("must have at most 1048576"),
                       rp::data_error);
  std::filesystem::remove(path);
}

TEST_CASE("2,000 mutated documents: a machine or a data_error, nothing else") {
  const std::string good = rp::to_json_document(synthetic::machine()).dump();
  int refused = 0;
  mutate::at_random(good, 2'000, mutate::json_words, [&](const std::string& bad) {
    try {
      rp::check(parse(bad));  // an accepted machine is valid
    } catch (const rp::data_error&) {
      ++refused;
    }
  });
  CHECK(refused > 1'000);
}
