// SPDX-License-Identifier: MIT
// Checks that the layer of docs/add_an_op.md learns, and that its gradient is the slope of the loss.
#include <doctest/doctest.h>

#include <ridgepoint/cpu/all.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/reference/all.hpp>

#include "docs/toy/cpu/softsign.hpp"
#include "docs/toy/layers/softsign.hpp"
#include "docs/toy/reference/softsign.hpp"
#include "support/gradient.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

auto xor_trainer(const auto& on, double learning_rate) {
  rp::graph net("xor");
  const rp::node y = net.input({2}) | nn::dense{.units = 8} | toy::softsign_layer{} | nn::dense{.units = 1};
  return net.train<double>(on, y, nn::mse{}, nn::adam{.learning_rate = learning_rate}, {.batch = 4, .seed = 1},
                           toy::softsign_ops<double>{});
}
constexpr double x[] = {0, 0, 0, 1, 1, 0, 1, 1}, target[] = {0, 1, 1, 0};

}  // namespace

TEST_CASE("a network with softsign learns XOR") {
  auto trainer = xor_trainer(rp::native_cpu(1), 0.02);
  double loss = 0;
  for (int step = 0; step < 2000; ++step) loss = trainer.step(x, target);
  CHECK(loss < 1e-3);
}

TEST_CASE("the gradient through softsign is the slope of the loss") {
  auto trainer = xor_trainer(rp::reference, 0);
  trainer.step(x, target);
  const auto gradient = trainer.gradient("dense_1.w");
  auto w = trainer.parameter("dense_1.w");
  check_gradient(w.values(), gradient.values(), [&] {
    trainer.set_parameter("dense_1.w", w.values());
    return trainer.step(x, target);
  });
}
