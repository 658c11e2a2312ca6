// SPDX-License-Identifier: MIT
#include <ridgepoint/study/comparison.hpp>

#include <doctest/doctest.h>

namespace study = ridgepoint::study;

TEST_CASE("differences: circumstances that both sets have with different values") {
  const study::measured_set a{.circumstances = {{"host_name", "vm"}, {"threads", "1"}, {"flags", "-O2"}}};
  const study::measured_set b{.circumstances = {{"host_name", "pc"}, {"threads", "1"}, {"isa", "avx2"}}};
  CHECK(study::differences(a, b) == std::vector<std::string>{"host_name: vm and pc"});
  CHECK(study::differences(a, a).empty());
}

TEST_CASE("distinguish: rows with the same name are numbered") {
  std::vector<study::measured_row> rows{{.name = "x"}, {.name = "y"}, {.name = "x"}, {.name = "x"}};
  study::distinguish(rows);
  CHECK(rows[0].name == "x");
  CHECK(rows[1].name == "y");
  CHECK(rows[2].name == "x #2");
  CHECK(rows[3].name == "x #3");
}

TEST_CASE("set_of_runs: each run is one sample, with the doubts of all runs") {
  const study::measured_set first{
      .format = "x", .circumstances = {{"threads", "1"}}, .rows = {{.name = "a", .samples = {3, 1, 2}}}};
  const study::measured_set second{.format = "x",
                                   .circumstances = {{"threads", "2"}},
                                   .rows = {{.name = "b", .samples = {7}}, {.name = "a", .samples = {5}}}};
  const study::measured_set third{
      .format = "x",
      .circumstances = {{"threads", "2"}},
      .rows = {{.name = "a", .doubt = "failed"}, {.name = "b", .samples = {1}, .unit = ""}}};
  const study::measured_set all = study::set_of_runs("runs", {first, second, third});
  CHECK(all.source == "runs");
  CHECK(all.circumstances.at("threads") == "1, 2");
  REQUIRE(all.rows.size() == 2);
  CHECK(all.rows[0].samples == std::vector<double>{2, 5});
  CHECK(all.rows[0].doubt == "failed");
  CHECK(all.rows[1].samples == std::vector<double>{7, 1});
  CHECK(all.rows[1].doubt == "measured in s and in ");
}
