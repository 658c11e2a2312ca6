// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <ridgepoint/graph/fit.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/temporary_directory.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;

namespace {
/// Everything is learnt from noise, so that what is validated on soon gets worse.
struct noise final : rp::dataset {
  std::uint64_t seed;
  explicit noise(std::uint64_t s) : seed(s) {}
  [[nodiscard]] rp::index_t size() const override { return 24; }
  [[nodiscard]] rp::shape sample_shape() const override { return {6}; }
  [[nodiscard]] int classes() const override { return 3; }
  void gather(std::span<const rp::index_t> rows, float* x, std::int32_t* labels) const override {
    for (const rp::index_t row : rows) {
      rp::random_stream random(seed, static_cast<std::uint64_t>(row));
      for (int i = 0; i < 6; ++i) *x++ = static_cast<float>(random.uniform(-1, 1));
      *labels++ = static_cast<std::int32_t>(random.below(3));
    }
  }
};

std::vector<double> weights(const auto& trainer) {
  const auto w = trainer.parameter("dense_1.w");
  return {w.values().begin(), w.values().end()};
}
}  // namespace

TEST_CASE("the best epoch is the first of the lowest losses; patience asks for more than the least gain") {
  rp::detail::best_epoch best(0);
  CHECK(best.judge(1, 5));
  CHECK(!best.judge(2, 5));
  CHECK(best.judge(3, 4.5));
  CHECK(best.since() == 0);
  CHECK(!best.judge(4, 4.6));
  CHECK(!best.judge(5, 4.7));
  CHECK(best.since() == 2);
  CHECK(best.epoch() == 3);
  rp::detail::best_epoch strict(0.5);
  CHECK(strict.judge(1, 5));
  CHECK(strict.judge(2, 4.6));
  CHECK(strict.since() == 1);
  CHECK(strict.judge(3, 4.4));  // 0.6 below the last gain
  CHECK(strict.since() == 0);
  CHECK(strict.epoch() == 3);
}

TEST_CASE("validation is judged after every epoch, seen by watch, and changes nothing that is learnt") {
  const toy::corners learnt, held_out(101);
  auto plain = toy::trainer<double>(rp::reference), validated = toy::trainer<double>(rp::reference);
  const rp::history a = plain.fit(learnt, {.epochs = 3});
  std::vector<double> seen;
  const rp::history b = validated.fit(learnt, {.epochs = 3, .validation = &held_out}, [&](const rp::progress& p) {
    CHECK(p.validation.has_value() == (p.step == p.steps));
    if (p.validation) {
      CHECK(p.validation->samples == 101);
      CHECK(p.validation->labels == 101);
      seen.push_back(p.validation->loss);
    }
    return true;
  });
  CHECK(a.loss == b.loss);
  CHECK(weights(plain) == weights(validated));
  CHECK(a.validation_loss.empty());
  REQUIRE(b.validation_loss.size() == 3);
  CHECK(b.validation_loss == seen);
  CHECK(b.validation_loss.back() == validated.evaluate(held_out).loss);
  CHECK(a.best_epoch == 3);
}

TEST_CASE("training ends when patience does, with the best parameters, which are in the checkpoint too") {
  const temporary_directory there;
  const noise learnt(1), held_out(2);
  const auto file = there / "best.checkpoint";
  auto trainer = toy::trainer<double>(rp::reference, 8);
  std::vector<std::vector<double>> after_epoch;
  const rp::history h = trainer.fit(
      learnt, {.epochs = 200, .validation = &held_out, .patience = 5, .keep_best = true, .best_checkpoint = file},
      [&](const rp::progress& p) {
        if (p.validation) after_epoch.push_back(weights(trainer));
        return true;
      });
  CHECK(!h.complete);
  REQUIRE(h.best_epoch >= 1);
  REQUIRE(h.loss.size() == static_cast<std::size_t>(h.best_epoch) + 5);
  const auto best = static_cast<std::size_t>(h.best_epoch) - 1;
  CHECK(h.validation_loss[best] == *std::min_element(h.validation_loss.begin(), h.validation_loss.end()));
  CHECK(h.loss.back() < h.loss[best]);  // what was learnt by heart since
  CHECK(weights(trainer) == after_epoch[best]);
  CHECK(weights(trainer) != after_epoch.back());
  CHECK(trainer.evaluate(held_out).loss == h.validation_loss[best]);

  auto other = toy::trainer<double>(rp::reference, 8);
  other.load(file);
  CHECK(weights(other) == after_epoch[best]);
  CHECK(other.steps_done() == static_cast<std::uint64_t>(h.best_epoch) * 3);
}

TEST_CASE("without validation the epoch's own loss is judged; without keep_best the last parameters stay") {
  const toy::corners data;
  auto trainer = toy::trainer<float>(rp::reference);
  trainer.set_learning_rate(0);  // dropout alone changes the loss
  const rp::history h = trainer.fit(data, {.epochs = 100, .patience = 2, .least_gain = 10});
  CHECK(h.loss.size() == 3);
  const auto lowest = std::min_element(h.loss.begin(), h.loss.end());
  CHECK(h.best_epoch == 1 + (lowest - h.loss.begin()));
  CHECK(!h.complete);
}

TEST_CASE("the best parameters come back when a watch throws, too") {
  const noise learnt(1), held_out(2);
  auto trainer = toy::trainer<double>(rp::reference, 8);
  std::vector<double> first;
  const auto stop = [&](const rp::progress& p) {
    if (p.epoch == 1 && p.validation) first = weights(trainer);
    if (p.epoch == 2) throw 7;
    return true;
  };
  CHECK_THROWS_AS(trainer.fit(learnt, {.epochs = 3, .validation = &held_out, .keep_best = true}, stop), int);
  CHECK(weights(trainer) == first);
}

TEST_CASE("options out of their domain, and validation that does not fit, are refused") {
  const toy::corners data;
  toy::corners wide;
  wide.features = 7;
  auto trainer = toy::trainer<float>(rp::reference);
  CHECK_THROWS_WITH_AS(trainer.fit(data, {.patience = -1}), "fit: patience is -1; must be >= 0", rp::value_error);
  CHECK_THROWS_WITH_AS(trainer.fit(data, {.least_gain = -0.5}), "fit: least_gain is -0.5; must be >= 0",
                       rp::value_error);
  CHECK_THROWS_AS(trainer.fit(data, {.validation = &wide}), rp::shape_error);
  CHECK(trainer.steps_done() == 0);
}
