// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/profile_json.hpp>
#include <roofline/synthetic.hpp>
#include <support/allocations.hpp>
#include <support/mutate.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

namespace {

/// Machine with two ceilings, one of them measured.
rp::machine small_machine() {
  rp::machine m = synthetic::machine();
  m.ceilings = {m.ceilings[0], m.ceilings[3]};
  return m;
}

/// Loads a file: either succeeds or throws a data_error that names the file. Checks that it takes little memory.
template <class Load>
bool load_hostile(const temporary_directory& there, const std::string& text, const Load& load) {
  write_bytes(there / "hostile.json", text);
  allocations::reset();
  const std::size_t before = allocations::live();
  bool taken = false;
  try {
    load((there / "hostile.json").string());
    taken = true;
  } catch (const rp::data_error& refusal) {
    const std::string_view message = refusal.what();
    CHECK(
        (message.find("hostile.json") != std::string_view::npos || message.find("machine") != std::string_view::npos));
  }
  CHECK(allocations::peak() - before <= 4 * text.size() + (std::size_t{1} << 20));
  return taken;
}

/// Checks that an accepted machine is valid and survives a round trip.
void use(const rp::machine& m) {
  rp::check(m);
  CHECK(rp::parse_strict(rp::to_json_document(m).dump(), "again") == rp::to_json_document(m));
  static_cast<void>(rp::suspicions(m));
}

}  // namespace

TEST_CASE("10,000 damaged machine files: no crash, bounded memory") {
  const temporary_directory there;
  rp::save_machine((there / "machine.json").string(), small_machine());
  int taken = 0;
  const int count =
      mutate::for_each(read_bytes(there / "machine.json"), 3000, mutate::json_words, [&](const std::string& mutant) {
        taken += load_hostile(there, mutant, [](const std::string& file) { use(rp::load_machine(file)); }) ? 1 : 0;
      });
  CHECK(count >= 10'000);
  CHECK(taken > 100);  // changes in a description are harmless
  CHECK(taken < count / 2);
  MESSAGE(count, " mutants, ", taken, " read");
}

TEST_CASE("damaged roofline files: no crash, bounded memory") {
  const temporary_directory there;
  rp::save_roofline((there / "roofline.json").string(), synthetic::profile(), small_machine());
  int taken = 0;
  mutate::at_random(read_bytes(there / "roofline.json"), 3000, mutate::json_words, [&](const std::string& mutant) {
    taken += load_hostile(there, mutant, [](const std::string& file) { use(rp::load_roofline(file).machine); }) ? 1 : 0;
  });
  CHECK(taken > 10);
}

TEST_CASE("documents that attack a JSON reader are refused") {
  const temporary_directory there;
  const auto repeated = [](const std::string& piece, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += piece;
    return text;
  };
  const std::string good = rp::to_json_document(small_machine()).dump();
  const auto refused = [&](const std::string& text) {
    return !load_hostile(there, text, [](const std::string& file) { use(rp::load_machine(file)); });
  };
  CHECK(!refused(good));
  CHECK(refused(""));
  CHECK(refused("null"));
  CHECK(refused("[]"));
  CHECK(refused("{}"));
  CHECK(refused(good + good));
  CHECK(refused(good + "x"));
  CHECK(refused(std::string(1000, '\0')));
  CHECK(refused(repeated("[", 10'000)));
  CHECK(refused(repeated("{\"a\":", 10'000)));
  CHECK(refused(repeated("[", 10'000) + repeated("]", 10'000)));
  CHECK(refused("{\"schema\":\"ridgepoint.machine\"," + good.substr(1)));  // a duplicate key
  CHECK(refused("{\"name\":\"\xc3\x28\"," + good.substr(1)));              // not UTF-8
  const auto with = [&](const std::string& value) {
    const auto at = good.find("\"clock_hz\":") + 11;
    return good.substr(0, at) + value + good.substr(good.find_first_of(",}", at));
  };
  CHECK(!refused(with("1e9")));
  for (const char* value : {"NaN", "Infinity", "-1", "1e999", "\"1e9\"", "null", "[1]", "{}", "0x10", "1.", "+1", ""}) {
    CAPTURE(value);
    CHECK(refused(with(value)));
  }
}
