// SPDX-License-Identifier: MIT
#include <ridgepoint/study/comparison.hpp>

#include <doctest/doctest.h>

#include "study/shared_host.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;
namespace study = ridgepoint::study;
using study::verdict;

namespace {

/// Returns `count` times around middle_s, at steps of a thousandth.
std::vector<double> times_around(double middle_s, int count) {
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) samples.push_back(middle_s * (1 + 0.001 * (i - count / 2)));
  return samples;
}
study::compared_sets compare_samples(const std::vector<double>& a, const std::vector<double>& b,
                                     const study::comparison_options& options = {}) {
  return study::compare({.source = "a.json", .rows = {{.name = "row", .samples = a}}},
                        {.source = "b.json", .rows = {{.name = "row", .samples = b}}}, options);
}
/// Returns the reason why one row is unclear.
std::string unclear(const std::vector<double>& a, const std::vector<double>& b,
                    const study::comparison_options& options = {}) {
  const study::compared_row row = compare_samples(a, b, options).rows[0];
  CHECK(row.verdict == verdict::unclear);
  return row.reason;
}

}  // namespace

TEST_CASE("compare: verdicts follow from the interval and the gate") {
  const std::vector<double> a = times_around(1e-3, 9);
  CHECK(compare_samples(a, times_around(0.9e-3, 9)).rows[0].verdict == verdict::faster);
  CHECK(compare_samples(a, times_around(1.1e-3, 9)).rows[0].verdict == verdict::slower);
  CHECK(compare_samples(a, a).rows[0].verdict == verdict::same);
  CHECK(compare_samples(a, times_around(1.01e-3, 9)).rows[0].verdict == verdict::same);  // 1 % is below the gate
  CHECK(compare_samples(a, times_around(1.01e-3, 9), {.gate = 0.002}).rows[0].verdict == verdict::slower);
  const study::compared_row row = compare_samples(a, times_around(0.5e-3, 9)).rows[0];
  CHECK(row.speedup == near(2));
  CHECK(row.range.contains(2));
  CHECK(!row.wide);
  CHECK(row.chance == near(2 / 48620.0));
  CHECK(row.chance_of_any == row.chance);
}

TEST_CASE("compare: a higher rate is faster") {
  const std::vector<double> slow = times_around(100, 8), fast = times_around(200, 8);
  const auto rates = [](const std::vector<double>& samples) {
    return study::measured_set{
        .rows = {{.name = "row", .samples = samples, .unit = "B/s", .better = study::better::more}}};
  };
  const study::compared_sets c = study::compare(rates(slow), rates(fast));
  CHECK(c.rows[0].speedup == near(2));
  CHECK(c.count(verdict::faster) == 1);
  CHECK(c.geometric_mean() == near(2));
}

TEST_CASE("compare: pairing removes disturbances common to both") {
  std::vector<double> a, b;
  for (int i = 0; i < 12; ++i) {
    const double host = i % 3 == 0 ? 2 : 1 + 0.05 * i;
    a.push_back(host * (1 + 0.001 * (i % 4))), b.push_back(host * 1.05);
  }
  CHECK(compare_samples(a, b).rows[0].verdict == verdict::unclear);
  CHECK(compare_samples(a, b).rows[0].wide);
  CHECK(compare_samples(a, b, {.pairing = study::pairing::by_round}).rows[0].verdict == verdict::slower);
}

TEST_CASE("compare: an unclear verdict has a reason") {
  const std::vector<double> a = times_around(1, 8);
  const study::comparison_options paired{.pairing = study::pairing::by_round};
  CHECK(unclear(a, times_around(2, 4)) == "A has 8, B has 4 samples; needs 5");
  CHECK(unclear(times_around(1, 5), times_around(2, 5), paired) == "A has 5, B has 5 rounds; needs 6");
  CHECK(unclear(a, times_around(2, 7), paired) == "8 rounds and 7; pairs need equal counts");
  CHECK(unclear(a, {1, 1, 1, 1, 0}) == "a sample is 0; must be 1e-100 to 1e+100");
  CHECK(unclear({1, 1, 1, 1, NAN}, a) == "a sample is nan; must be 1e-100 to 1e+100");
  CHECK(unclear({1, 1.5, 2, 2.5, 3}, {1.1, 1.4, 2.1, 2.6, 2.9}) == "the interval contains 1 and exceeds the gate");
  const study::compared_sets both = study::compare(
      {.rows = {{.name = "x", .samples = a, .doubt = "failed"}, {.name = "y", .samples = a}, {.name = "z"}}},
      {.rows = {
           {.name = "x", .samples = a}, {.name = "y", .samples = a, .unit = "B/s"}, {.name = "z", .doubt = "odd"}}});
  CHECK(both.rows[0].reason == "A: failed");
  CHECK(both.rows[1].reason == "A is in s, B in B/s");
  CHECK(both.rows[2].reason == "B: odd");
  CHECK(both.count(verdict::unclear) == 3);
  CHECK(both.geometric_mean() == 0);
}

TEST_CASE("compare: rows of A without a verdict are listed: failed, missing, too few samples") {
  const std::vector<double> s = times_around(1, 8);
  const study::compared_sets c = study::compare({.rows = {{.name = "fine", .samples = s},
                                                          {.name = "odd", .samples = s},
                                                          {.name = "gone", .samples = s},
                                                          {.name = "few", .samples = s},
                                                          {.name = "unclear", .samples = {1, 1.5, 2, 2.5, 3}}}},
                                                {.rows = {{.name = "fine", .samples = s},
                                                          {.name = "odd", .doubt = "failed: out of memory"},
                                                          {.name = "new", .samples = s},
                                                          {.name = "few", .samples = {1, 1}},
                                                          {.name = "unclear", .samples = {1.1, 1.4, 2.1, 2.6, 2.9}}}});
  CHECK(c.unjudged() == std::vector<std::string>{"odd: B: failed: out of memory",
                                                 "few: A has 8, B has 2 samples; needs 5", "gone: missing in B"});
  CHECK(c.rows[0].judged());
  CHECK(compare_samples(s, s).unjudged().empty());
}

TEST_CASE("compare: more rows require stronger evidence per row") {
  study::measured_set a, b;
  for (int i = 0; i < 20; ++i) {
    a.rows.push_back({.name = std::to_string(i), .samples = times_around(1, 5)});
    b.rows.push_back({.name = std::to_string(i), .samples = times_around(i == 0 ? 2 : 1, 5)});
  }
  const study::compared_sets c = study::compare(a, b);
  CHECK(c.rows[0].verdict == verdict::unclear);  // 2 of 252 ways, with twenty rows
  CHECK(c.rows[0].reason == "rank test not significant, p = 0.15873 with 20 rows");
  CHECK(c.count(verdict::same) == 19);
}

TEST_CASE("compare: rows on one side only are listed, and no common row is an error") {
  const std::vector<double> s = times_around(1, 5);
  const study::measured_set a{.source = "a.json", .rows = {{.name = "x", .samples = s}, {.name = "y", .samples = s}}};
  const study::measured_set b{.source = "b.json", .rows = {{.name = "z", .samples = s}, {.name = "y", .samples = s}}};
  const study::compared_sets c = study::compare(a, b);
  CHECK(c.rows.size() == 1);
  CHECK(c.only_a == std::vector<std::string>{"x"});
  CHECK(c.only_b == std::vector<std::string>{"z"});
  CHECK_THROWS_WITH_AS(static_cast<void>(study::compare(a, {.source = "c.json", .rows = {{.name = "w"}}})),
                       "compare: a.json and c.json have 2 and 1 rows, none of them in common; must have one",
                       rp::data_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(study::compare(a, b, {.gate = 2})),
                       "compare: the gate is 2; must be between 0 and 1", rp::value_error);
}

TEST_CASE("compare: on a shared host at most 5 % of 200 equal pairs are distinguished") {
  int distinguished = 0, same = 0;
  for (std::uint64_t pair = 0; pair < 200; ++pair) {
    std::vector<study::compared_row> rows{shared_host(pair).turns(30, 1)};
    study::judge(rows, shared_host::options);
    distinguished += rows[0].verdict == verdict::faster || rows[0].verdict == verdict::slower ? 1 : 0;
    same += rows[0].verdict == verdict::same ? 1 : 0;
  }
  CHECK(distinguished <= 10);
  CHECK(same >= 180);
}

TEST_CASE("compare: of six kernels, one slower by 5 % is found in 95 % of suites, one slower by 2 % in 60 %") {
  const auto found = [](double ratio) {
    int times = 0;
    for (std::uint64_t suite = 0; suite < 100; ++suite) {
      shared_host host(1000 + suite);
      std::vector<study::compared_row> rows;
      for (std::uint64_t kernel = 0; kernel < 6; ++kernel)
        rows.push_back(host.turns(30, kernel == suite % 6 ? ratio : 1));
      study::judge(rows, shared_host::options);
      times += rows[suite % 6].verdict == verdict::slower ? 1 : 0;
    }
    return times;
  };
  CHECK(found(1.05) >= 95);
  CHECK(found(1.02) >= 60);
}
