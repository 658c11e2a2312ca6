// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <limits>

#include <ridgepoint/reference/all.hpp>

#include "support/temporary_directory.hpp"
#include "toy.hpp"

// Messages of a training step whose loss is not finite; the state stays unchanged.
namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The corners with one value that is not finite, or one label out of range.
struct spoilt : toy::corners {
  rp::index_t bad_row = 0;
  float value = std::numeric_limits<float>::quiet_NaN();
  std::int32_t label = -1;  // negative: leaves the label
  void gather(std::span<const rp::index_t> rows, float* x, std::int32_t* labels) const override {
    toy::corners::gather(rows, x, labels);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] != bad_row) continue;
      x[static_cast<rp::index_t>(i) * features + 2] = value;
      if (label >= 0) labels[i] = label;
    }
  }
};

template <class Trainer>
std::vector<double> all_weights(const Trainer& of) {
  std::vector<double> all;
  for (const auto& p : of.learning().made().parameters) {
    const auto values = of.parameter(p.name);
    all.insert(all.end(), values.values().begin(), values.values().end());
  }
  return all;
}
}  // namespace

TEST_CASE_TEMPLATE("NaN in a data set: the row is named, and its batch changes nothing", T, float, double) {
  auto trainer = toy::trainer<T>(rp::reference, 50);
  spoilt data;
  data.bad_row = 137;
  std::vector<double> before;
  const auto fit = [&] {
    trainer.fit(data, {.epochs = 1}, [&](const rp::progress&) {
      before = all_weights(trainer);
      return true;
    });
  };
  before = all_weights(trainer);
  CHECK_THROWS_WITH_AS(fit(), doctest::Contains("loss is nan, input_1 holds nan in row 137 of the data set; must be"),
                       rp::value_error);
  CHECK(trainer.steps_done() < 6);
  CHECK(all_weights(trainer) == before);
  CHECK_THROWS_WITH_AS(static_cast<void>(trainer.evaluate(data)),
                       "evaluate: loss is nan, input_1 holds nan in row 137 of the data set; must be finite",
                       rp::value_error);
}

TEST_CASE("NaN in a batch: step and sample are named") {
  auto trainer = toy::trainer<double>(rp::reference, 4);
  std::vector<double> x(24, 0.5);
  const std::int32_t labels[] = {0, 1, 2, 0};
  trainer.step(x, labels);
  x[2 * 6 + 5] = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH_AS(trainer.step(x, labels), doctest::Contains("step 2: loss is "), rp::value_error);
  CHECK_THROWS_WITH_AS(trainer.step(x, labels), doctest::Contains("input_1 holds inf in sample 2 of the batch"),
                       rp::value_error);
  CHECK(trainer.steps_done() == 1);
}

TEST_CASE("NaN in a target or a parameter is named") {
  rp::graph net("line");
  const rp::node y = net.input({1}) | nn::dense{.units = 1};
  auto trainer = net.train<double>(rp::reference, y, nn::mse{}, nn::sgd{}, {.batch = 2});
  const double x[] = {1, 2}, good[] = {1, 2}, bad[] = {1, not_a_number};
  CHECK_THROWS_WITH_AS(trainer.step(x, bad), doctest::Contains("targets holds nan in sample 1 of the batch"),
                       rp::value_error);
  CHECK_NOTHROW(trainer.step(x, good));
  trainer.set_parameter("dense_1.b", std::span(&not_a_number, 1));
  CHECK_THROWS_WITH_AS(trainer.step(x, good), doctest::Contains("dense_1.b holds nan"), rp::value_error);
}

TEST_CASE("the layer whose sums overflow is named, not later ones") {
  rp::graph net("overflow");
  const rp::node y = net.input({2}) | nn::dense{.units = 2} | nn::batch_norm{} | nn::dense{.units = 2} |
                     nn::dense{.units = 2} | nn::batch_norm{};
  auto trainer = net.train<float>(rp::reference, y, nn::softmax_cross_entropy{}, nn::sgd{}, {.batch = 2});
  const float huge[] = {3e38F, 3e38F, 3e38F, 3e38F}, x[] = {1, 2, 3, 4};
  const std::int32_t labels[] = {0, 1};
  trainer.set_parameter("batch_norm_1.gamma", std::span(huge, 2));
  trainer.set_parameter("dense_2.w", huge);
  CHECK_THROWS_WITH_AS(trainer.step(x, labels), doctest::Contains(", dense_2 forward "), rp::value_error);
}

namespace {
/// Eight steps of two numbers through unbounded recurrent layers, whose gradients explode. The first batch is almost
/// zero, the others are not.
template <class Cell>
auto exploding(const Cell& cell, double rate) {
  rp::graph net("exploding");
  const rp::node y = net.input({8, 2}) | cell | nn::dense{.units = 1};
  return net.train<float>(rp::reference, y, nn::mse{}, nn::sgd{.learning_rate = rate}, {.batch = 2, .seed = 3});
}
const std::vector<float> sequences = [] {
  rp::random_stream random(2);
  std::vector<float> x(2 * 8 * 2);
  for (float& v : x) v = static_cast<float>(random.uniform(-1, 1));
  return x;
}();
}  // namespace

TEST_CASE("a recurrent network whose gradients explode: step and layer are named, the last good checkpoint is kept") {
  const temporary_directory folder;
  const std::string file = (folder.path() / "good.checkpoint").string();
  auto trainer = exploding(nn::rnn{.units = 3, .act = rp::activation::none}, 1e4);
  const std::vector<float> targets{1, -1};
  const auto learn = [&] {
    for (int step = 0; step < 40; ++step) {
      trainer.step(sequences, targets);
      trainer.save(file);
    }
  };
  std::string said;
  try {
    learn();
  } catch (const rp::value_error& e) {
    said = e.what();
  }
  CAPTURE(said);
  CHECK(said.find("step ") != std::string::npos);
  CHECK((said.find("rnn_1") != std::string::npos || said.find("dense_1") != std::string::npos));
  CHECK(said.find("must be finite") != std::string::npos);
  const std::uint64_t stopped = trainer.steps_done();
  CHECK((stopped > 1 && stopped < 40));

  trainer.load(file);  // the state after the last step with finite values
  for (const double weight : all_weights(trainer)) CHECK(std::isfinite(weight));
  CHECK(trainer.steps_done() + 1 >= stopped);
}

TEST_CASE("non-finite parameters do not overwrite a finite checkpoint") {
  const temporary_directory folder;
  const std::string file = (folder.path() / "good.checkpoint").string();
  auto trainer = exploding(nn::lstm{.units = 2}, 0.1);
  trainer.save(file);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto before = all_weights(trainer);
  trainer.set_parameter("lstm_1.b", std::vector<float>{0, 0, 0, nan, 0, 0, 0, 0});
  CHECK_THROWS_WITH_AS(trainer.save(file), doctest::Contains("after step 0 lstm_1.b holds nan; must be finite"),
                       rp::value_error);
  CHECK_THROWS_WITH_AS(trainer.step(sequences, std::vector<float>{1, -1}),
                       "step 1: loss is nan, lstm_1.b holds nan; must be finite", rp::value_error);
  trainer.load(file);
  CHECK(all_weights(trainer) == before);
}

TEST_CASE("clipped gradients do not explode") {
  rp::graph net("clipped");
  const rp::node y = net.input({8, 2}) | nn::rnn{.units = 3, .act = rp::activation::none} | nn::dense{.units = 1};
  auto trainer = net.train<float>(rp::reference, y, nn::mse{}, nn::sgd{.learning_rate = 0.1},
                                  {.batch = 2, .seed = 3, .clip_norm = 1});
  for (int step = 0; step < 40; ++step) CHECK_NOTHROW(trainer.step(sequences, std::vector<float>{1e4F, -1e4F}));
}

TEST_CASE("a label out of range names its row in the data set") {
  spoilt data;
  data.value = 0;
  data.bad_row = 41;
  data.label = 7;
  auto trainer = toy::trainer<float>(rp::reference, 50);
  const char* const what = "data set: label of row 41 is 7; must be >= 0 and < 3";
  CHECK_THROWS_WITH_AS(trainer.fit(data), what, rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(trainer.evaluate(data)), what, rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(trainer.profile(data, 10)), what, rp::value_error);
}
