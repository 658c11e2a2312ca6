// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/study/comparison.hpp>
#include <ridgepoint/study/measured/load_json.hpp>
#include <support/allocations.hpp>
#include <support/mutate.hpp>
#include <support/temporary_directory.hpp>

namespace study = ridgepoint::study;

namespace {

/// Reads results: either they compare with themselves, or a data_error names them. Checks that it takes little memory.
bool compare_hostile(const std::string& text) {
  allocations::reset();
  const std::size_t before = allocations::live();
  bool taken = false;
  try {
    const study::measured_set set = study::read_measured(text, "hostile.json");
    const study::compared_sets all = study::compare(set, set, {.bootstrap = {.resamples = 10}});
    CHECK(all.count(study::verdict::slower) == 0);
    taken = true;
  } catch (const ridgepoint::data_error& refusal) {
    CHECK(std::string_view(refusal.what()).find("hostile.json") != std::string_view::npos);
  }
  CHECK(allocations::peak() - before <= 4 * text.size() + (std::size_t{1} << 20));
  return taken;
}

}  // namespace

TEST_CASE("10,000 damaged files of results: no crash, bounded memory") {
  int taken = 0, count = 0;
  for (const char* seed : {"good_flags", "good_google_benchmark", "good_versus", "good_roofline"}) {
    const std::string text = read_bytes(std::filesystem::path(SEED_CORPUS) / "measured_json" / seed);
    count += mutate::for_each(text, 500, mutate::json_words,
                              [&](const std::string& mutant) { taken += compare_hostile(mutant) ? 1 : 0; });
  }
  CHECK(count >= 10'000);
  CHECK(taken > 100);
  CHECK(taken < count / 2);
  MESSAGE(count, " mutants, ", taken, " read");
}

TEST_CASE("results that attack a reader are refused") {
  CHECK(!compare_hostile("{\"benchmarks\": " + std::string(10'000, '[')));
  CHECK(!compare_hostile("{\"benchmarks\": " + std::string(10'000, '"')));
  CHECK(!compare_hostile(std::string(10'000, '-') + "Infinity"));
  CHECK(!compare_hostile("{\"schema\": \"ridgepoint.versus\", \"schema_version\": 2, \"benchmarks\": []}"));
  CHECK(!compare_hostile("{\"schema\": 1, \"benchmarks\": []}"));
}
