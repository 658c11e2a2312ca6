// SPDX-License-Identifier: MIT
#include "measurement/flags/results.hpp"

#include <doctest/doctest.h>

#include "measurement/flags/exact_filter.hpp"
#include "measurement/flags/unsettled.hpp"

#include <ridgepoint/core/random.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace study = ridgepoint::study;

namespace {

/// Simulates rounds of one benchmark on a host that slows all sets equally. Link i of three takes `per_link[i]` times
/// as long.
measurement::set_rounds simulated_rounds(const std::string& set, double seconds, std::uint64_t seed,
                                         const std::vector<double>& per_link = {1, 1, 1}) {
  rp::random_stream host(7), own(seed);
  measurement::set_rounds all{.set = set};
  for (std::size_t round = 0; round < 15; ++round) {
    const double drift = host.uniform(1, 1.5), noise = own.uniform(0.998, 1.002);
    all.rounds.push_back({.rows = {{.name = "row", .samples = {seconds * drift * noise * per_link[round % 3]}}}});
  }
  return all;
}

}  // namespace

TEST_CASE("flags: each set is judged against the base, round by round") {
  const auto rows = measurement::judged_rows(simulated_rounds("base", 2e-6, 1),
                                             {simulated_rounds("base again", 2e-6, 2),
                                              simulated_rounds("fast", 1e-6, 3),
                                              {.set = "broken", .rounds = {}, .failure = "killed by signal 4"}},
                                             {.pairing = study::pairing::by_round});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].set == "base again");
  CHECK(rows[0].compared.verdict == study::verdict::same);
  CHECK(rows[1].compared.verdict == study::verdict::faster);
  CHECK(rows[1].compared.speedup == near(2, 0.01));
  CHECK(rows[1].samples.size() == 15);
  CHECK(measurement::distinguished(rows, "base again") == 0);
  CHECK(measurement::distinguished(rows, "fast") == 1);
}

TEST_CASE("flags: a subset of benchmarks can be judged") {
  measurement::set_rounds base = simulated_rounds("base", 2e-6, 1), fast = simulated_rounds("fast", 1e-6, 3);
  for (measurement::set_rounds* set : {&base, &fast})
    for (study::measured_set& round : set->rounds) round.rows.push_back({.name = "other", .samples = {1e-6}});
  const study::comparison_options by_round{.pairing = study::pairing::by_round};
  const auto all = measurement::judged_rows(base, {fast}, by_round),
             alone = measurement::judged_rows(base, {fast}, by_round, {"other"});
  REQUIRE(all.size() == 2);
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].compared.name == "other");
  CHECK(alone[0].compared.range.low == all[1].compared.range.low);
  CHECK(alone[0].compared.wide == all[1].compared.wide);
}

TEST_CASE("flags: a benchmark that a set lacks has no row there") {
  measurement::set_rounds other = simulated_rounds("other", 1e-6, 2);
  for (study::measured_set& round : other.rounds) round.rows[0].name = "renamed";
  CHECK(measurement::judged_rows(simulated_rounds("base", 1e-6, 1), {other}, {}).empty());
}

TEST_CASE("flags: of 200 runs of the base against itself at most 5 % are distinguished") {
  std::size_t distinguished = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    distinguished += measurement::distinguished(
        measurement::judged_rows(simulated_rounds("base", 1e-6, 2 * seed),
                                 {simulated_rounds("again", 1e-6, 2 * seed + 1)},
                                 {.pairing = study::pairing::by_round, .bootstrap = {.resamples = 400}}),
        "again");
  CHECK(distinguished <= 10);
}

TEST_CASE("flags: more rows need more rounds before any can be distinguished") {
  CHECK(measurement::enough_rounds(0) == 6);
  CHECK(measurement::enough_rounds(1) == 6);
  CHECK(measurement::enough_rounds(2) == 7);
  CHECK(measurement::enough_rounds(14) == 10);
  CHECK(measurement::enough_rounds(100) == 12);
}

TEST_CASE("flags: additional rounds cover all benchmarks first, then those with a wide interval") {
  const auto row = [](const char* set, const char* name, bool wide) {
    measurement::flags_row made{.set = set, .compared = {}};
    made.compared.name = name;
    made.compared.wide = wide;
    return made;
  };
  const std::vector<measurement::flags_row> rows{row("O2", "a", false), row("O3", "a", false), row("O2", "b", false),
                                                 row("O3", "b", true), row("O2", "c", false)};
  CHECK(measurement::unsettled(rows, measurement::enough_rounds(5) - 1) == std::vector<std::string>{"a", "b", "c"});
  CHECK(measurement::unsettled(rows, measurement::enough_rounds(5)) == std::vector<std::string>{"b"});
  CHECK(measurement::unsettled({}, 6).empty());
}

TEST_CASE("flags: a filter matches exactly the given names") {
  CHECK(measurement::exact_expression({"f<a, \"b\">/8", "g+h(2)"}) == "^f<a, \"b\">/8$|^g\\+h\\(2\\)$");
  CHECK(measurement::exact_expression({}).empty());
  CHECK(measurement::exact_filter("a.b") == "--benchmark_filter=^a\\.b$");
  CHECK(measurement::exact_expression({R"(.[\()*+?{|^$]}<>-/:,_)"}) == R"(^\.\[\\\(\)\*\+\?\{\|\^\$]}<>-/:,_$)");
}

TEST_CASE("flags: layout noise between links") {
  measurement::set_rounds flat{.set = "base"};
  for (int round = 0; round < 9; ++round)
    flat.rounds.push_back(
        {.rows = {{.name = "even", .samples = {1}}, {.name = "odd", .samples = {round % 3 == 1 ? 1.2 : 1}}}});
  const measurement::layout_noise noise = measurement::largest_layout_noise(flat, 3);
  CHECK(noise.row == "odd");
  CHECK(noise.share == near(0.2));
  flat.rounds.resize(2);
  CHECK(measurement::largest_layout_noise(flat, 3).share == 0);
}
