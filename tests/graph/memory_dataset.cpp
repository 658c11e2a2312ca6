// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include <ridgepoint/graph/dataset.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/reference/all.hpp>

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

TEST_CASE("a data set of labels copies its values") {
  std::vector<float> x = {0, 1, 10, 11, 20, 21};
  std::array<std::int32_t, 3> labels = {2, 0, 1};
  const rp::memory_dataset data(x, labels, {2}, 3);
  static_assert(std::derived_from<decltype(data), rp::dataset>);
  x.assign(6, -1);
  labels.fill(-1);
  CHECK(data.size() == 3);
  CHECK(data.sample_shape() == rp::shape{2});
  CHECK(data.target_shape() == rp::shape{});
  CHECK(data.classes() == 3);
  const rp::index_t rows[] = {2, 0};
  float got[4];
  std::int32_t kinds[2];
  data.gather(rows, got, kinds);
  CHECK(std::vector<float>(got, got + 4) == std::vector<float>{20, 21, 0, 1});
  CHECK(kinds[0] == 1);
  CHECK(kinds[1] == 2);
}

TEST_CASE("a data set of regression values has targets of a shape") {
  const std::vector<float> x = {1, 2, 3}, y = {1, -1, 2, -2, 3, -3};
  const rp::memory_dataset data(x, y, {1}, {1, 2});
  static_assert(std::derived_from<decltype(data), rp::regression_dataset>);
  CHECK(data.size() == 3);
  CHECK(data.target_shape() == rp::shape{1, 2});
  const rp::index_t row = 1;
  float got = 0, targets[2];
  data.gather(std::span(&row, 1), &got, targets);
  CHECK(got == 2);
  CHECK(targets[0] == 2);
  CHECK(targets[1] == -2);
}

TEST_CASE("values that do not fit together are refused") {
  const std::vector<float> x(12);
  const std::vector<std::int32_t> labels = {0, 1, 2, 0, 1, 2}, negative = {0, -1, 0, 0, 0, 0};
  CHECK_NOTHROW(rp::memory_dataset(x, labels, {2}, 3));
  CHECK_THROWS_WITH_AS(rp::memory_dataset(x, labels, {5}, 3),
                       "memory_dataset: x has 12 values; must be a multiple of 5, the size of a sample 5",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::memory_dataset(x, labels, {3}, 3), "memory_dataset: 6 targets for 4 samples; must be 4",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::memory_dataset(x, labels, {0}, 3),
                       "memory_dataset: a sample is 0 and its target scalar; must have elements", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::memory_dataset(x, labels, {2}, 2), "memory_dataset: label 2 is 2; must be >= 0 and < 2",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(rp::memory_dataset(x, negative, {2}, 2), "memory_dataset: label 1 is -1; must be >= 0 and < 2",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(rp::memory_dataset(x, labels, {2}, 0), "memory_dataset: classes is 0; must be >= 1",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(rp::memory_dataset(x, x, {2}, {1}), "memory_dataset: 12 targets for 6 samples; must be 6",
                       rp::shape_error);
}

TEST_CASE_TEMPLATE("a network learns values from a data set, and is evaluated on it", T, float, double) {
  std::vector<float> x, y;
  for (int i = 0; i < 64; ++i) {
    x.push_back(static_cast<float>(i) / 32 - 1);
    y.push_back(x.back() * x.back());
    y.push_back(1 - x.back());
  }
  const rp::memory_dataset curve(x, y, {1}, {2});
  rp::graph net("curve");
  const rp::node out = net.input({1}) | nn::dense{.units = 16} | nn::tanh{} | nn::dense{.units = 2};
  auto trainer = net.train<T>(rp::reference, out, nn::mse{}, nn::adam{.learning_rate = 0.02}, {.batch = 16, .seed = 1});
  const double before = trainer.evaluate(curve).loss;
  const rp::history h = trainer.fit(curve, {.epochs = 60});
  const rp::evaluation after = trainer.evaluate(curve);
  CHECK(after.loss < 0.05 * before);
  CHECK(h.loss.back() < 0.1 * h.loss.front());
  CHECK(after.samples == 64);
  CHECK(after.labels == 0);
  CHECK_THROWS_WITH_AS(trainer.fit(rp::memory_dataset(x, x, {1}, {1})),
                       "data set: has 1 targets a sample; the network's output must have 2", rp::shape_error);
}

TEST_CASE("ignored labels of padded steps do not contribute to training on a data set") {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};  // 2 sequences of 3 steps of 1 value
  const std::vector<std::int32_t> labels = {0, 1, -1, 1, -1, -1};
  const rp::memory_dataset data(x, labels, {3, 1}, 2, {.ignored = -1, .target = {3}});
  CHECK(data.size() == 2);
  CHECK(data.target_shape() == rp::shape{3});
  CHECK(data.ignored_label() == -1);
  CHECK_FALSE(rp::memory_dataset(x, std::vector<std::int32_t>{0, 1}, {3}, 2).ignored_label());
  CHECK(rp::memory_dataset(x, std::vector<std::int32_t>{0, -1}, {3}, 2, {.ignored = -1}).size() == 2);
  CHECK_THROWS_WITH_AS(rp::memory_dataset(x, std::vector<std::int32_t>{0, -2}, {3}, 2, {.ignored = -1}),
                       "memory_dataset: label 1 is -2; must be >= 0 and < 2, or -1, which is ignored", rp::value_error);

  rp::graph net("steps");
  const rp::node y = net.input({3, 1}) | nn::dense{.units = 2};
  auto trainer = net.train<float>(rp::reference, y, nn::softmax_cross_entropy{.ignored = -1}, nn::sgd{}, {.batch = 2});
  CHECK(trainer.evaluate(data).labels == 3);
  CHECK(std::isfinite(trainer.fit(data, {.epochs = 1}).loss.back()));
  auto strict = net.train<float>(rp::reference, y, nn::softmax_cross_entropy{}, nn::sgd{}, {.batch = 2});
  CHECK_THROWS_WITH_AS(strict.fit(data), doctest::Contains(" is -1; must be >= 0 and < 2"), rp::value_error);
}
