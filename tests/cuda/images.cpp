// SPDX-License-Identifier: MIT
// Training of networks of images, without convolutions over all channels, on a fake GPU.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/reference/all.hpp>

#include "fake_case.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

constexpr rp::index_t batch = 8, height = 9, width = 8, depth = 3;

/// A network with every op on images except those convolutions, in an order that lets gradients pass through each.
rp::node images(rp::graph& net) {
  const rp::node x = net.input({height, width, depth}) | nn::batch_norm{} | nn::relu{};
  const rp::node seen = x | nn::depthwise_conv2d{.multiplier = 2, .kernel = 3, .padding = nn::same};
  const rp::node pooled = seen | nn::group_norm{.groups = 2} | nn::max_pool{.window = 3, .stride = 2};
  const rp::node means = x | nn::pad_channels{.before = 1, .after = 2} | nn::avg_pool{.window = 3, .stride = 2};
  const rp::node larger = rp::concat_channels(pooled, means) | nn::upsample{.how = rp::upsampling::bilinear};
  return larger | nn::max_pool{} | nn::batch_norm{} | nn::layer_norm{} | nn::flatten{} | nn::dense{.units = 4};
}
template <class T, class Backend>
auto trainer(const Backend& on) {
  rp::graph net("images");
  const rp::node logits = images(net);
  return net.train<T>(on, logits, nn::softmax_cross_entropy{}, nn::sgd{.learning_rate = 0.05}, {.batch = batch});
}

}  // namespace

TEST_CASE_TEMPLATE("cuda: a network of images learns what the definition learns", T, float, double) {
  auto there = trainer<T>(rp::cuda());
  auto here = trainer<T>(rp::reference);
  rp::random_stream random(7);
  for (int step = 0; step < 6; ++step) {
    std::vector<T> x(batch * height * width * depth);
    for (T& value : x) value = static_cast<T>(random.uniform(-1, 1));
    std::vector<std::int32_t> labels(batch);
    for (std::int32_t& label : labels) label = static_cast<std::int32_t>(random.below(4));
    const double want = here.step(x, labels);
    CHECK(std::abs(there.step(x, labels) - want) <= (std::is_same_v<T, float> ? 1e-5 : 1e-12) * want);
  }
}

TEST_CASE("cuda: steps of a network of images create nothing from the second on") {
  auto on_gpu = trainer<float>(rp::cuda());
  const std::vector<float> x(batch * height * width * depth, 0.5F);
  const std::vector<std::int32_t> labels(batch, 1);
  static_cast<void>(on_gpu.step(x, labels));
  fake::reset();
  static_cast<void>(on_gpu.step(x, labels));
  for (const std::string& call : fake::calls()) CHECK_MESSAGE(is_of_a_replay(call), call);
}
