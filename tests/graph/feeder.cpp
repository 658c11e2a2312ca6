// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <set>
#include <thread>

#include <ridgepoint/graph/dataset.hpp>
#include <ridgepoint/graph/host_batch.hpp>

#include "toy.hpp"

namespace rp = ridgepoint;

namespace {
/// Form of the batches of a network for the corners.
rp::batch_form form(rp::index_t features, rp::index_t batch) {
  return {.inputs = {{{features}}}, .targets = {{.classes = 3}}, .batch = batch};
}
}  // namespace

TEST_CASE_TEMPLATE("batches hold the samples of their rows, in the network's type", T, float, double) {
  const toy::corners data(50);
  rp::feeder<T> batches(data, form(6, 20));
  batches.take(10, 20);
  REQUIRE(batches.x().size() == 120);
  REQUIRE(batches.targets().size() == 20);
  float x[6];
  std::int32_t label = 0;
  const rp::index_t row = 13;
  data.gather(std::span(&row, 1), x, &label);
  CHECK(std::equal(x, x + 6, batches.x().numbers().begin() + 3 * 6));
  CHECK(batches.targets().ids()[3] == label);
  CHECK(batches.rows()[3] == row);
  batches.take(40, 10);
  CHECK(batches.x().size() == 60);
  CHECK(batches.rows().size() == 10);
}

TEST_CASE("an epoch's shuffle is a permutation that depends on seed and epoch alone") {
  toy::corners data(100);
  data.features = 1;
  const auto order = [&](std::uint64_t seed, std::uint64_t epoch, std::uint64_t before) {
    rp::feeder<float> batches(data, form(1, 100));
    batches.shuffle(seed, before);
    batches.shuffle(seed, epoch);
    batches.take(0, 100);
    return std::vector<float>(batches.x().numbers().begin(), batches.x().numbers().end());
  };
  const auto a = order(1, 0, 5);
  CHECK(a == order(1, 0, 9));
  CHECK(a != order(1, 1, 0));
  CHECK(a != order(2, 0, 0));
  auto sorted = a, other = order(1, 1, 0);
  std::sort(sorted.begin(), sorted.end());
  std::sort(other.begin(), other.end());
  CHECK(sorted == other);
}

TEST_CASE("a data set gets the number of each epoch") {
  struct epoch_recorder final : rp::dataset {
    mutable std::vector<std::uint64_t> epochs;
    [[nodiscard]] rp::index_t size() const override { return 4; }
    [[nodiscard]] rp::shape sample_shape() const override { return {1}; }
    [[nodiscard]] int classes() const override { return 3; }
    void begin_epoch(std::uint64_t epoch) const override { epochs.push_back(epoch); }
    void gather(std::span<const rp::index_t>, float*, std::int32_t*) const override {}
  } const data;
  rp::feeder<float> batches(data, form(1, 4));
  batches.shuffle(1, 0);
  batches.in_order();
  batches.shuffle(1, 7);
  CHECK(data.epochs == std::vector<std::uint64_t>{0, 7});
}

namespace {
/// Corners that several threads may gather; the labels of row `bad` are out of range.
struct shared_corners : toy::corners {
  rp::gathering on = rp::gathering::ahead;
  rp::index_t bad = -1;
  mutable std::atomic<std::uint64_t> epoch = 0;
  mutable std::atomic<int> elsewhere = 0;  // batches gathered by other threads
  std::thread::id here = std::this_thread::get_id();
  using corners::corners;
  [[nodiscard]] rp::gathering gathered() const override { return on; }
  void begin_epoch(std::uint64_t now) const override { epoch = now; }
  void gather(std::span<const rp::index_t> rows, float* x, std::int32_t* labels) const override {
    corners::gather(rows, x, labels);
    if (here != std::this_thread::get_id()) ++elsewhere;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      x[6 * i] += static_cast<float>(epoch);
      if (rows[i] == bad) labels[i] = 3;
    }
  }
};
}  // namespace

TEST_CASE_TEMPLATE("batches prepared ahead equal those prepared on demand", T, float, double) {
  for (const rp::gathering on : {rp::gathering::ahead, rp::gathering::on_any_threads, rp::gathering::on_one_thread}) {
    shared_corners data(50), same(50);
    data.on = on;
    rp::feeder<T> made(same, form(6, 7));
    for (const int threads : {1, 3}) {
      rp::feeder<T> ahead(data, form(6, 7), threads);
      for (const std::uint64_t epoch : {0U, 1U, 5U}) {
        for (rp::feeder<T>* each : {&made, &ahead}) each->shuffle(7, epoch);
        for (const rp::index_t first :
             {21, 28, 35, 42, 49, 3, 0, 7, 14}) {  // the next epoch begins where this one ends
          const rp::index_t count = std::min<rp::index_t>(7, 50 - first);
          for (rp::feeder<T>* each : {&made, &ahead}) each->take(first, count);
          CHECK(std::ranges::equal(made.x().numbers(), ahead.x().numbers()));
          CHECK(std::ranges::equal(made.targets().ids(), ahead.targets().ids()));
          CHECK(std::ranges::equal(made.rows(), ahead.rows()));
          if (first == 14) std::this_thread::sleep_for(std::chrono::milliseconds(2));  // others prepare the next ones
        }
      }
      CHECK(ahead.times().waited_s > 0);
    }
    if (on == rp::gathering::on_one_thread) CHECK(data.elsewhere == 0);
  }
}

TEST_CASE("an error in a batch is reported when it is taken, on any thread") {
  shared_corners data(40);
  data.bad = 17;
  for (const int threads : {0, 1, 3}) {
    rp::feeder<float> batches(data, form(6, 5), threads);
    for (int again = 0; again < 2; ++again) {
      for (const rp::index_t first : {0, 5, 10}) batches.take(first, 5);
      CHECK_THROWS_WITH_AS(batches.take(15, 5), "data set: label of row 17 is 3; must be >= 0 and < 3",
                           rp::value_error);
      batches.take(20, 5);
      CHECK(batches.rows()[0] == 20);
    }
  }
  CHECK(rp::feeder<float>::batches_held(0) == 1);
  CHECK(rp::feeder<float>::batches_held(3) == 5);
}

TEST_CASE("ids from a data set are whole numbers; targets have the type that the loss needs") {
  const rp::memory_dataset tokens(std::vector<float>{0, 3, -1, 2}, std::vector<std::int32_t>{1, 0}, {2}, 3);
  const rp::batch_form ids{.inputs = {{{2}, rp::element::i32}}, .targets = {{.classes = 3}}, .batch = 2};
  rp::feeder<float> batches(tokens, ids);
  batches.take(0, 2);
  CHECK(batches.x().type() == rp::element::i32);
  CHECK(std::vector<std::int32_t>(batches.x().ids().begin(), batches.x().ids().end()) ==
        std::vector<std::int32_t>{0, 3, -1, 2});
  CHECK(batches.bytes(2) == 2 * 3 * sizeof(std::int32_t));

  for (const float bad : {1.5F, std::nanf(""), 3e9F}) {
    const rp::memory_dataset spoilt(std::vector<float>{0, 3, 1, bad}, std::vector<std::int32_t>{1, 0}, {2}, 3);
    rp::feeder<double> fed(spoilt, ids);
    CHECK_THROWS_WITH_AS(fed.take(0, 2), doctest::Contains("data set: an id of row 1 is "), rp::value_error);
  }
  const rp::memory_dataset curve(std::vector<float>(4), std::vector<float>(2), {2}, {1});
  CHECK_THROWS_WITH_AS(rp::feeder<float>(curve, ids), "data set: its targets are values; the loss must have labels",
                       rp::value_error);
  const rp::batch_form values{.inputs = {{{2}}}, .targets = {{.type = rp::element::stored}}, .batch = 2};
  CHECK_THROWS_WITH_AS(rp::feeder<float>(tokens, values), "data set: its targets are labels; the loss must have values",
                       rp::value_error);
}

TEST_CASE_TEMPLATE("each of several inputs gets its part of a sample", T, float, double) {
  const rp::memory_dataset data(std::vector<float>{0.5F, 1, 2, 1.5F, 3, 4, 2.5F, 5, 6},
                                std::vector<std::int32_t>{0, 1, 2}, {3}, 3);
  rp::batch_form both{
      .inputs = {{{1}}, {{2}, rp::element::i32}}, .targets = {{.classes = 3}, {.classes = 3}}, .batch = 2};
  const rp::several_targets twice({&data, &data});
  rp::feeder<T> batches(twice, both);
  const auto numbers = [&] { return std::vector<T>(batches.x(0).numbers().begin(), batches.x(0).numbers().end()); };
  const auto ids = [&] { return std::vector<std::int32_t>(batches.x(1).ids().begin(), batches.x(1).ids().end()); };
  batches.take(1, 2);
  CHECK(numbers() == std::vector<T>{T(1.5), T(2.5)});
  CHECK(ids() == std::vector<std::int32_t>{3, 4, 5, 6});
  CHECK(batches.targets(1).ids()[1] == 2);
  batches.take(0, 1);
  CHECK(numbers() == std::vector<T>{T(0.5)});
  CHECK(ids() == std::vector<std::int32_t>{1, 2});

  std::swap(both.inputs[0], both.inputs[1]);  // the number becomes an id
  rp::feeder<T> swapped(twice, both);
  CHECK_THROWS_WITH_AS(swapped.take(0, 2), "data set: an id of row 0 is 0.5; must be a whole number", rp::value_error);
  both.inputs[0].sample = {3, 2};
  CHECK_THROWS_WITH_AS(rp::feeder<T>(twice, both),
                       "data set: a sample is 3; the network's inputs are 3x2 and 1 and must have as many values",
                       rp::shape_error);
}
