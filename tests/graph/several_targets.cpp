// SPDX-License-Identifier: MIT
// Networks with several losses learn from data sets.
#include <doctest/doctest.h>

#include <algorithm>

#include <ridgepoint/graph/dataset.hpp>
#include <ridgepoint/reference/all.hpp>

#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

/// Points with labels and with values: the same samples.
struct labelled_and_valued {
  std::vector<float> x, values;
  std::vector<std::int32_t> labels;

  labelled_and_valued() {
    rp::random_stream random(5);
    for (int i = 0; i < 12 * 4; ++i) x.push_back(static_cast<float>(random.uniform(-1, 1)));
    for (int i = 0; i < 12 * 2; ++i) values.push_back(static_cast<float>(random.uniform(-1, 1)));
    for (int i = 0; i < 12; ++i) labels.push_back(static_cast<std::int32_t>(random.below(3)));
  }
};

/// Trains three losses: two of labels, with one of values between them.
template <class T>
auto three_heads() {
  rp::graph net("heads");
  const rp::node hidden = net.input({4}) | nn::dense{.units = 5} | nn::tanh{};
  return net.train<T>(rp::reference,
                      {{hidden | nn::dense{.units = 3}, nn::softmax_cross_entropy{}},
                       {hidden | nn::dense{.units = 2}, nn::mse{}, 0.5},
                       {hidden | nn::dense{.units = 3}, nn::softmax_cross_entropy{}, 0.25}},
                      nn::adam{.learning_rate = 0.01}, {.batch = 4, .seed = 3});
}

}  // namespace

TEST_CASE_TEMPLATE("losses learn from data sets of the same samples as from a program's own values", T, float, double) {
  const labelled_and_valued of;
  const rp::memory_dataset kinds(of.x, of.labels, {4}, 3);
  const rp::memory_dataset curve(of.x, of.values, {4}, {2});
  const rp::several_targets all({&kinds, &curve, &kinds});
  CHECK(all.size() == 12);
  CHECK(all.sample_shape() == rp::shape{4});
  CHECK(all.classes() == 3);
  auto one = three_heads<T>(), other = three_heads<T>();
  const std::vector<T> x(of.x.begin(), of.x.end()), values(of.values.begin(), of.values.end());
  CHECK(one.fit(all, {.epochs = 3}).loss == other.fit({x}, {of.labels, values, of.labels}, {.epochs = 3}).loss);
  const rp::evaluation a = one.evaluate(all), b = other.evaluate({x}, {of.labels, values, of.labels});
  CHECK(a.loss == b.loss);
  REQUIRE(a.each.size() == 3);
  for (std::size_t l = 0; l < 3; ++l) {
    CHECK(a.each[l].loss == b.each[l].loss);
    CHECK(a.each[l].correct == b.each[l].correct);
  }
}

TEST_CASE("samples are gathered as the strictest data set requires, and each epoch is announced once") {
  struct recorder final : toy::corners {
    rp::gathering where = rp::gathering::on_any_threads;
    mutable int epochs = 0;
    bool same = true;
    [[nodiscard]] rp::gathering gathered() const override { return where; }
    [[nodiscard]] bool stays_the_same() const override { return same; }
    void begin_epoch(std::uint64_t) const override { ++epochs; }
  };
  recorder a, b;
  const rp::several_targets both({&a, &b, &a});
  CHECK(both.gathered() == rp::gathering::on_any_threads);
  b.where = rp::gathering::ahead;
  CHECK(both.gathered() == rp::gathering::ahead);
  a.where = rp::gathering::on_one_thread;
  CHECK(both.gathered() == rp::gathering::on_one_thread);
  both.begin_epoch(0);
  CHECK((a.epochs == 1 && b.epochs == 1));
  CHECK(both.stays_the_same());
  b.same = false;
  CHECK(!both.stays_the_same());
}

TEST_CASE("data sets that do not match each other, or the losses, are refused") {
  const labelled_and_valued of;
  const rp::memory_dataset kinds(of.x, of.labels, {4}, 3);
  const rp::memory_dataset curve(of.x, of.values, {4}, {2}), wide(of.x, of.values, {2}, {1});
  CHECK_THROWS_WITH_AS(rp::several_targets({}), "several_targets: has no data set; must have one for each loss",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(rp::several_targets({&kinds, nullptr}),
                       "several_targets: a data set is a null pointer; must be set for each loss", rp::value_error);
  CHECK_THROWS_WITH_AS(rp::several_targets({&kinds, &wide}),
                       "several_targets: 24 samples of 2 and 12 of 4; must be the same", rp::shape_error);
  auto trainer = three_heads<float>();
  CHECK_THROWS_WITH_AS(
      trainer.fit(kinds),
      "data set: the network has 3 losses; must have 1, or be given several_targets, or the targets of "
      "each: {a, b}",
      rp::value_error);
  CHECK_THROWS_WITH_AS(trainer.fit(rp::several_targets({&kinds, &curve})),
                       "data set: the network has 3 losses; must have 2, as there are targets for", rp::value_error);
  CHECK_THROWS_WITH_AS(trainer.fit(rp::several_targets({&kinds, &kinds, &kinds})),
                       "data set: its targets are labels; the loss must have values", rp::value_error);
  const std::vector<std::int32_t> many(12, 7);
  const rp::memory_dataset wrong(of.x, many, {4}, 8);
  CHECK_THROWS_AS(trainer.fit(rp::several_targets({&kinds, &curve, &wrong})), rp::value_error);
  struct beyond final : toy::corners {
    void gather(std::span<const rp::index_t> rows, float* x, std::int32_t* labels) const override {
      toy::corners::gather(rows, x, labels);
      std::fill_n(labels, rows.size(), 3);
    }
  } no_class;
  no_class.samples = 12, no_class.features = 4;
  CHECK_THROWS_WITH_AS(trainer.fit(rp::several_targets({&kinds, &curve, &no_class})),
                       doctest::Contains("data set: label of row "), rp::value_error);
  CHECK(trainer.steps_done() == 0);
}
