// SPDX-License-Identifier: MIT
// Checks that networks train the same on oneDNN and by definition.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include <ridgepoint/models/mnist.hpp>

#include "measurement/trainers/onednn.hpp"
#include "measurement/trainers/reference.hpp"
#include "support/near.hpp"
#include "tensors.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

const rp::either library(rp::onednn(1), rp::cpu(1));

/// Returns the losses of three steps on one batch of four random images.
template <class Backend, class Build>
std::vector<double> three_losses(const Backend& on, rp::index_t size, const Build& build) {
  rp::graph net("images");
  const rp::node logits = build(net);
  auto trainer = net.train<float>(on, logits, nn::softmax_cross_entropy{}, nn::sgd{}, {.batch = 4, .seed = 3});
  const auto pixels = test::values(4 * size, 1, 0, 1);
  const std::vector<std::int32_t> labels{1, 0, 3, 2};
  std::vector<double> losses;
  for (int step = 0; step < 3; ++step) losses.push_back(trainer.step(pixels.values(), labels));
  return losses;
}

template <class Build>
void check_learns_alike(rp::index_t size, const Build& build) {
  const std::vector<double> got = three_losses(library, size, build),
                            expected = three_losses(rp::reference, size, build);
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == near(expected[i], 1e-4));
  CHECK(got[2] < got[0]);
}

}  // namespace

TEST_CASE("mnist-cnn trains the same on oneDNN and by definition") {
  check_learns_alike(28 * 28, [](rp::graph& net) { return rp::models::mnist_cnn::build(net); });
}

TEST_CASE("a session folds normalisations into oneDNN's convolutions, and fuses residuals there") {
  rp::graph net("folded");
  const rp::node x = net.input({8, 7, 16}) | nn::conv2d{.filters = 16, .kernel = 3, .padding = nn::same} |
                     nn::batch_norm{.epsilon = 0.5} | nn::relu{};
  const rp::node y = rp::add(x, x | nn::conv2d{.filters = 16, .kernel = 1} | nn::batch_norm{}) | nn::leaky_relu{};
  const auto answer = [&](const auto& on) {
    auto session = net.compile<float>(on, y, {.batch = 2, .seed = 3});
    const auto pixels = test::values(2 * 8 * 7 * 16, 1);
    std::vector<float> result(static_cast<std::size_t>(pixels.size()));
    session.run(pixels.values(), result);
    return result;
  };
  const std::vector<float> got = answer(library), want = answer(rp::reference);
  float largest = 0;  // 160 products per sum are rounded: 1e-5 of the largest term
  for (const float value : want) largest = std::max(largest, std::abs(value));
  CHECK(largest > 0.1F);
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::abs(got[i] - want[i]) <= 1e-5F * largest);
}

TEST_CASE("strides, depthwise filters, both poolings and batch normalisation train the same too") {
  check_learns_alike(20 * 20 * 3, [](rp::graph& net) {
    return net.input({20, 20, 3}) | nn::conv2d{.filters = 8, .kernel = 3, .stride = 2} | nn::batch_norm{} | nn::relu{} |
           nn::depthwise_conv2d{.kernel = 3} | nn::max_pool{} | nn::avg_pool{} | nn::flatten{} | nn::dense{.units = 4};
  });
}

TEST_CASE("a layer that oneDNN lacks is refused when the graph is compiled, with its op and its name") {
  rp::graph net("without a mean");
  const rp::node y = net.input({4}) | nn::dense{.units = 3} | nn::rms_norm{};
  CHECK_THROWS_WITH_AS(static_cast<void>(net.compile<float>(rp::onednn(1), y)),
                       "onednn has no rms_norm<float> (layer rms_norm_1)", rp::unsupported);
}

TEST_CASE("sequences, sample-major in a graph, train the same too") {
  check_learns_alike(7 * 5, [](rp::graph& net) {
    return net.input({7, 5}) | nn::lstm{.units = 6, .sequences = true} |
           nn::gru{.units = 8, .sequences = true, .reset = rp::gru_reset::after} |
           nn::gru{.units = 5, .sequences = true, .reset = rp::gru_reset::before} | nn::rnn{.units = 9} |
           nn::dense{.units = 4};
  });
}
