// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <ridgepoint/graph/fit.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/temporary_directory.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;

namespace {
/// Data of pure noise, so that the validation loss soon increases.
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

/// Corners that are redrawn for every epoch, on any thread; gathering row `bad` fails.
struct drawn_corners final : toy::corners {
  rp::index_t bad = -1;
  mutable std::uint64_t epoch = 0;
  using corners::corners;
  [[nodiscard]] rp::gathering gathered() const override { return rp::gathering::ahead; }
  void begin_epoch(std::uint64_t now) const override { epoch = now; }
  void gather(std::span<const rp::index_t> rows, float* x, std::int32_t* labels) const override {
    corners::gather(rows, x, labels);
    for (const rp::index_t row : rows) {
      rp::require<rp::data_error>(row != bad, "row ", row, " cannot be read");
      rp::random_stream random(epoch, static_cast<std::uint64_t>(row));
      for (int i = 0; i < 6; ++i) *x++ += static_cast<float>(random.uniform(-0.3, 0.3));
    }
  }
};
}  // namespace

TEST_CASE("the best epoch is the first with the lowest loss; patience needs more than the least gain") {
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

TEST_CASE("validation runs after every epoch, is passed to watch, and does not affect training") {
  const toy::corners trained, held_out(101);
  auto plain = toy::trainer<double>(rp::reference), validated = toy::trainer<double>(rp::reference);
  const rp::history a = plain.fit(trained, {.epochs = 3});
  std::vector<double> seen;
  const rp::history b = validated.fit(trained, {.epochs = 3, .validation = &held_out}, [&](const rp::progress& p) {
    CHECK(p.validation.has_value() == (p.step == p.steps));
    if (p.validation) {
      CHECK(p.validation->samples == 101);
      CHECK(p.validation->labels == 101);
      seen.push_back(p.validation->loss);
    }
    return true;
  });
  CHECK(a.loss == b.loss);
  CHECK(toy::weights(plain) == toy::weights(validated));
  CHECK(a.validation_loss.empty());
  REQUIRE(b.validation_loss.size() == 3);
  CHECK(b.validation_loss == seen);
  CHECK(b.validation_loss.back() == validated.evaluate(held_out).loss);
  CHECK(a.best_epoch == 3);
}

TEST_CASE("training ends when patience runs out, with the best parameters, which are in the checkpoint too") {
  const temporary_directory there;
  const noise trained(1), held_out(2);
  const auto file = there / "best.checkpoint";
  auto trainer = toy::trainer<double>(rp::reference, 8);
  std::vector<std::vector<double>> after_epoch;
  const rp::history h = trainer.fit(
      trained, {.epochs = 200, .validation = &held_out, .patience = 5, .keep_best = true, .best_checkpoint = file},
      [&](const rp::progress& p) {
        if (p.validation) after_epoch.push_back(toy::weights(trainer));
        return true;
      });
  CHECK(!h.complete);
  REQUIRE(h.best_epoch >= 1);
  REQUIRE(h.loss.size() == static_cast<std::size_t>(h.best_epoch) + 5);
  const auto best = static_cast<std::size_t>(h.best_epoch) - 1;
  CHECK(h.validation_loss[best] == *std::min_element(h.validation_loss.begin(), h.validation_loss.end()));
  CHECK(h.loss.back() < h.loss[best]);  // overfitting since then
  CHECK(toy::weights(trainer) == after_epoch[best]);
  CHECK(toy::weights(trainer) != after_epoch.back());
  CHECK(trainer.evaluate(held_out).loss == h.validation_loss[best]);

  auto other = toy::trainer<double>(rp::reference, 8);
  other.load(file);
  CHECK(toy::weights(other) == after_epoch[best]);
  CHECK(other.steps_done() == static_cast<std::uint64_t>(h.best_epoch) * 3);
}

TEST_CASE("without validation the epoch's own loss is monitored; without keep_best the last parameters stay") {
  const toy::corners data;
  auto trainer = toy::trainer<float>(rp::reference);
  trainer.set_learning_rate(0);  // dropout alone changes the loss
  const rp::history h = trainer.fit(data, {.epochs = 100, .patience = 2, .least_gain = 10});
  CHECK(h.loss.size() == 3);
  const auto lowest = std::min_element(h.loss.begin(), h.loss.end());
  CHECK(h.best_epoch == 1 + (lowest - h.loss.begin()));
  CHECK(!h.complete);
}

TEST_CASE("the best parameters are restored when a watch throws, too") {
  const noise trained(1), held_out(2);
  auto trainer = toy::trainer<double>(rp::reference, 8);
  std::vector<double> first;
  const auto stop = [&](const rp::progress& p) {
    if (p.epoch == 1 && p.validation) first = toy::weights(trainer);
    if (p.epoch == 2) throw 7;
    return true;
  };
  CHECK_THROWS_AS(trainer.fit(trained, {.epochs = 3, .validation = &held_out, .keep_best = true}, stop), int);
  CHECK(toy::weights(trainer) == first);
}

TEST_CASE("options out of their domain, and validation that does not fit, are refused") {
  const toy::corners data;
  toy::corners wide;
  wide.features = 7;
  auto trainer = toy::trainer<float>(rp::reference);
  CHECK_THROWS_WITH_AS(trainer.fit(data, {.patience = -1}), "fit: patience is -1; must be >= 0", rp::value_error);
  CHECK_THROWS_WITH_AS(trainer.fit(data, {.least_gain = -0.5}), "fit: least_gain is -0.5; must be >= 0",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(trainer.fit(data, {.data_threads = -1}), "fit: data_threads is -1; must be 0 to 1024",
                       rp::value_error);
  CHECK_THROWS_AS(trainer.fit(data, {.validation = &wide}), rp::shape_error);
  CHECK(trainer.steps_done() == 0);
}

TEST_CASE("batches prepared by any number of threads give the same training, also when interrupted and resumed") {
  const temporary_directory there;
  const drawn_corners trained(100), held_out(45);
  std::vector<rp::history> said;
  std::vector<std::vector<double>> trained_by;
  for (const int threads : {0, 1, 3}) {
    const rp::fit_options fitting{.epochs = 3, .validation = &held_out, .data_threads = threads};
    auto trainer = toy::trainer<double>(rp::reference, 8);
    said.push_back(trainer.fit(trained, fitting));
    trained_by.push_back(toy::weights(trainer));
    CHECK(trainer.data_times().waited_s > 0);
    if (threads == 0) CHECK(trainer.data_times().made_s == 0);

    const auto file = there / rp::concat(threads, ".checkpoint");
    auto begun = toy::trainer<double>(rp::reference, 8), resumed = toy::trainer<double>(rp::reference, 8);
    CHECK(!begun.fit(trained, fitting, [](const rp::progress& p) { return p.epoch != 2 || p.step != 5; }).complete);
    CHECK(begun.steps_done() == 12 + 5);
    begun.save(file);
    resumed.load(file);
    CHECK(resumed.fit(trained, {.epochs = 2, .data_threads = threads}).complete);
    trained_by.push_back(toy::weights(resumed));
    begun.fit(trained, {.epochs = 2, .data_threads = threads});
    trained_by.push_back(toy::weights(begun));
  }
  for (const rp::history& each : said) {
    CHECK(each.loss == said[0].loss);
    CHECK(each.validation_loss == said[0].validation_loss);
  }
  for (const std::vector<double>& each : trained_by) CHECK(each == trained_by[0]);
}

TEST_CASE("an exception of a data set ends training at its step, and one of a watch leaves no thread running") {
  drawn_corners data(100);
  data.bad = 41;
  std::vector<std::uint64_t> done;
  for (const int threads : {0, 2}) {
    auto trainer = toy::trainer<double>(rp::reference, 8);
    for (int again = 0; again < 2; ++again)
      CHECK_THROWS_WITH_AS(trainer.fit(data, {.data_threads = threads}), "row 41 cannot be read", rp::data_error);
    done.push_back(trainer.steps_done());
    CHECK_THROWS_AS(static_cast<void>(trainer.evaluate(data)), rp::data_error);
    const toy::corners good(100);
    CHECK_THROWS_AS(trainer.fit(good, {}, [](const rp::progress&) -> bool { throw 7; }), int);
    const drawn_corners whole(100);
    CHECK_THROWS_AS(trainer.fit(whole, {.data_threads = threads}, [](const rp::progress&) -> bool { throw 7; }), int);
  }
  CHECK(done[0] > 0);
  CHECK(done[0] < 12);
  CHECK(done[0] == done[1]);
}

TEST_CASE("watch may evaluate and train on the training data set") {
  const drawn_corners data(100);
  auto trainer = toy::trainer<double>(rp::reference, 8);
  int seen = 0;
  trainer.fit(data, {.data_threads = 2}, [&](const rp::progress&) {
    ++seen;
    CHECK(trainer.evaluate(data).samples == 100);
    return true;
  });
  CHECK(seen == 12);
}

TEST_CASE("memory of a trainer includes the batches prepared ahead") {
  const drawn_corners data(100);
  const toy::corners plain(100);
  const auto trainer = toy::trainer<float>(rp::reference, 8);
  const std::size_t batch = 8 * (6 * sizeof(float) + sizeof(std::int32_t));
  CHECK(trainer.memory().ahead_bytes == 0);
  CHECK(trainer.memory(plain, {.data_threads = 2}).ahead_bytes == 0);
  CHECK(trainer.memory(data, {.data_threads = 2}).ahead_bytes == 4 * batch);
  CHECK(trainer.memory(data, {.validation = &data, .data_threads = 1}).ahead_bytes == 6 * batch);
  CHECK(trainer.memory(data, {.data_threads = 2}).bytes() == trainer.memory().bytes() + 4 * batch);
}
