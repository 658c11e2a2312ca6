// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <ridgepoint/data/sample_text.hpp>

namespace rp = ridgepoint;

namespace {

/// Counts how often each logit is drawn.
template <class T>
std::vector<double> shares(const std::vector<T>& logits, double temperature, int draws) {
  rp::random_stream random(3);
  std::vector<double> share(logits.size());
  for (int i = 0; i < draws; ++i)
    share[static_cast<std::size_t>(rp::sample_logits<T>(logits, temperature, random))] += 1.0 / draws;
  return share;
}

}  // namespace

TEST_CASE_TEMPLATE("classes are drawn with the probabilities of the softmax of logits / temperature", T, float,
                   double) {
  const std::vector<T> logits{T(1.5), T(-0.5), -std::numeric_limits<T>::infinity(), T(0.25), T(2)};
  constexpr int draws = 40'000;
  for (const double temperature : {0.5, 1.0, 2.5}) {
    double all = 0;
    for (const T logit : logits) all += std::exp(double{logit} / temperature);
    const std::vector<double> share = shares(logits, temperature, draws);
    for (std::size_t i = 0; i < logits.size(); ++i) {
      const double p = std::exp(double{logits[i]} / temperature) / all;
      CHECK(std::abs(share[i] - p) <= 5 * std::sqrt(p * (1 - p) / draws));  // five deviations
    }
  }
}

TEST_CASE("towards temperature 0 the greatest logit is drawn, far above 1 all equally often") {
  const std::vector<double> logits{1e300, 2.5, 1e301, -7}, equal{4, 1, 4};
  CHECK(shares(logits, 1e-300, 100) == std::vector<double>{0, 0, shares(logits, 1e-300, 100)[2], 0});
  CHECK(shares(std::vector<float>{0.1F, 0.2F, 0.15F}, 1e-9, 50)[1] > 0.99);
  CHECK(shares(equal, 1e-9, 1000)[1] == 0);
  CHECK(shares(equal, 1e-9, 1000)[0] > 0.4);
  for (const double share : shares(std::vector<double>{1, 2, 3, 4}, 1e9, 10'000)) CHECK(std::abs(share - 0.25) < 0.025);
}

TEST_CASE("the same stream draws the same classes, another stream others") {
  const std::vector<float> logits(50, 0.0F);
  const auto draw = [&](std::uint64_t seed) {
    rp::random_stream random(seed);
    std::vector<std::int32_t> drawn;
    for (int i = 0; i < 20; ++i) drawn.push_back(rp::sample_logits<float>(logits, 1, random));
    return drawn;
  };
  CHECK(draw(1) == draw(1));
  CHECK(draw(1) != draw(2));
}

TEST_CASE("invalid temperatures and logits are refused, and nothing is drawn") {
  rp::random_stream random(1), untouched(1);
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const auto sample = [&](std::vector<float> logits, double temperature) {
    static_cast<void>(rp::sample_logits<float>(logits, temperature, random));
  };
  CHECK_THROWS_WITH_AS(sample({1, 2}, 0), "sample_logits: temperature is 0; must be finite and > 0", rp::value_error);
  CHECK_THROWS_WITH_AS(sample({1, 2}, -0.5), doctest::Contains("temperature is -0.5"), rp::value_error);
  CHECK_THROWS_AS(sample({1, 2}, double{nan}), rp::value_error);
  CHECK_THROWS_AS(sample({1, 2}, double{inf}), rp::value_error);
  CHECK_THROWS_WITH_AS(sample({}, 1), "sample_logits: there are no logits; must be one or more", rp::value_error);
  CHECK_THROWS_WITH_AS(sample({1, nan}, 1), "sample_logits: logit 1 is nan; must be a number", rp::value_error);
  CHECK_THROWS_WITH_AS(sample({inf, 1}, 1), "sample_logits: logit 0 is inf; must be a number", rp::value_error);
  CHECK_THROWS_WITH_AS(sample({-inf, -inf}, 1), "sample_logits: every logit is -inf; one must be finite",
                       rp::value_error);
  CHECK(random() == untouched());
}
