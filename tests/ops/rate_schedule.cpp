// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <vector>

#include <ridgepoint/ops/rate_schedule.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
using form = rp::rate_schedule::form;

namespace {
constexpr double base = 0.25;  // exact

/// rate(0), rate(1), …
std::vector<double> rates(const rp::rate_schedule& schedule, int count) {
  std::vector<double> all;
  for (int t = 0; t < count; ++t) all.push_back(rp::scheduled_rate(schedule, base, static_cast<std::uint64_t>(t)));
  return all;
}
}  // namespace

TEST_CASE("a constant schedule stays at the base rate, and reports that it is constant") {
  CHECK(rates({}, 4) == std::vector<double>(4, base));
  CHECK(!rp::rate_schedule{}.changes());
  CHECK(rp::rate_schedule{.warm_up_steps = 1}.changes());
  CHECK(rp::rate_schedule{.decay = form::cosine}.changes());
}

TEST_CASE("warm-up rises linearly to the base rate, and the decay's own steps begin after it") {
  CHECK(rates({.warm_up_steps = 4}, 6) == std::vector<double>{base / 4, base / 2, base * 0.75, base, base, base});
  const rp::rate_schedule plain{.decay = form::step, .steps = 2, .factor = 0.5};
  rp::rate_schedule late = plain;
  late.warm_up_steps = 3;
  const std::vector<double> without = rates(plain, 8), with = rates(late, 11);
  CHECK(std::vector<double>(with.begin() + 3, with.end()) == without);
}

TEST_CASE("step decay multiplies once per interval") {
  CHECK(rates({.decay = form::step, .steps = 3, .factor = 0.5}, 7) ==
        std::vector<double>{base, base, base, base / 2, base / 2, base / 2, base / 4});
  CHECK(rates({.decay = form::step, .steps = 1, .factor = 0}, 3) == std::vector<double>{base, 0, 0});
}

TEST_CASE("piecewise decay multiplies at each boundary, in any order") {
  CHECK(rates({.decay = form::piecewise, .factor = 0.5, .boundaries = {4, 2}}, 6) ==
        std::vector<double>{base, base, base / 2, base / 2, base / 4, base / 4});
  CHECK(rates({.decay = form::piecewise, .warm_up_steps = 2, .factor = 0.5, .boundaries = {1}}, 5) ==
        std::vector<double>{base / 2, base, base, base / 2, base / 2});
  CHECK(rates({.decay = form::piecewise, .factor = 0.5}, 3) == std::vector<double>(3, base));
}

TEST_CASE("the smooth decays match their formulas, by repeated multiplication or in long double") {
  const std::vector<double> fast = rates({.decay = form::exponential, .steps = 8, .factor = 0.25}, 33);
  long double expected = base;
  for (int t = 0; t <= 32; ++t, expected *= std::pow(2.0L, -0.25L))  // 0.25^(1/8)
    CHECK(fast[static_cast<std::size_t>(t)] == near(static_cast<double>(expected), 1e-14));

  const std::vector<double> slow = rates({.decay = form::inverse_time, .factor = 0.5}, 9);
  for (int t = 0; t < 9; ++t) CHECK(slow[static_cast<std::size_t>(t)] == near(base * 2 / (2 + t), 1e-15));

  const std::vector<double> half = rates({.decay = form::cosine, .steps = 6, .factor = 0.2}, 9);
  const double turn = std::sqrt(3.0) / 2, share[] = {1, turn, 0.5, 0, -0.5, -turn, -1, -1, -1};  // cos(t·30°)
  for (int t = 0; t < 9; ++t) CHECK(half[static_cast<std::size_t>(t)] == near(base * (0.6 + 0.4 * share[t]), 1e-15));
}

TEST_CASE("a step number far beyond any training still has a rate") {
  const std::uint64_t last = std::uint64_t{1} << 63;
  for (const form decay :
       {form::constant, form::step, form::exponential, form::cosine, form::inverse_time, form::piecewise}) {
    const double rate = rp::scheduled_rate(
        {.decay = decay, .warm_up_steps = 5, .steps = 7, .factor = 0.5, .boundaries = {9}}, base, last);
    CHECK(rate >= 0);
    CHECK(rate <= base);
  }
}
