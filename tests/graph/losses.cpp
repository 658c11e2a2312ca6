// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>

#include <ridgepoint/reference/all.hpp>

#include "support/near.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

static_assert(rp::loss<nn::softmax_cross_entropy>);
static_assert(rp::loss<nn::mse>);
static_assert(rp::loss<nn::binary_cross_entropy>);
static_assert(!rp::loss<nn::adam>);

TEST_CASE("a loss matches its formula for the network's output") {
  rp::graph net("loss");
  const rp::node y = net.input({2}) | nn::dense{.units = 2, .bias = false};
  const double x[] = {1, 0}, identity[] = {1, 0, 0, 1}, targets[] = {0.5, 1};
  const std::int32_t label = 1;
  const auto loss = [&](auto kind, auto target) {
    auto trainer = net.train<double>(rp::reference, y, kind, nn::sgd{}, {.batch = 1});
    trainer.set_parameter("dense_1.w", identity);
    return trainer.step(x, target);
  };
  CHECK(loss(nn::softmax_cross_entropy{}, std::span(&label, 1)) == near(std::log(std::exp(1) + 1)));
  CHECK(loss(nn::mse{}, std::span<const double>(targets)) == near((0.25 + 1) / 2));
  CHECK(loss(nn::binary_cross_entropy{}, std::span<const double>(targets)) ==
        near((1 - 0.5 + std::log1p(std::exp(-1)) + std::log(2)) / 2));
}

TEST_CASE("binary cross-entropy counts outputs on the side of their targets; losses of values count none") {
  rp::graph net("sides");
  const rp::node y = net.input({2}) | nn::dense{.units = 2, .bias = false};
  const std::vector<double> x{1, -1, 2, 3}, targets{1, 0, 0, 0.75}, identity{1, 0, 0, 1};  // right, right, wrong, right
  const auto evaluate = [&](auto loss) {
    auto trainer = net.train<double>(rp::reference, y, loss, nn::sgd{}, {.batch = 2});
    trainer.set_parameter("dense_1.w", identity);
    const rp::evaluation judged = trainer.evaluate(x, targets);
    static_cast<void>(trainer.step(x, targets));
    CHECK(trainer.judged()[0].labels == judged.labels);
    return judged;
  };
  const rp::evaluation sides = evaluate(nn::binary_cross_entropy{}), values = evaluate(nn::mse{});
  CHECK(sides.labels == 4);
  CHECK(sides.correct == 3);
  CHECK((values.labels == 0 && values.correct == 0));
}
