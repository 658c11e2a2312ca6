// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/small_images.hpp>

#include "counts.hpp"
#include "support/near.hpp"
#include "support/planned_arguments.hpp"

namespace rp = ridgepoint;
using rp::models::resnet_32;

namespace {

/// Adds the five units of a group: batch normalisation and convolution, twice each.
void add_group(layer_counts& all, std::uint64_t in, std::uint64_t channels) {
  for (int unit = 0; unit < 5; ++unit, in = channels) {
    const std::uint64_t half = in == channels ? 1 : 2;  // a convolution of half the channels costs half
    all.push_back({2 * in, 0});
    all.push_back({9 * in * channels, 4'718'592 / half});
    all.push_back({2 * channels, 0});
    all.push_back({9 * channels * channels, 4'718'592});
  }
}

}  // namespace

TEST_CASE("the layers of ResNet-32 have the published parameters and FLOP") {
  layer_counts published{{432, 884'736}};
  add_group(published, 16, 16);
  add_group(published, 16, 32);
  add_group(published, 32, 64);
  published.push_back({128, 0});
  published.push_back({650, 1'280});
  CHECK(layers_of(resnet_32{}) == published);
}

TEST_CASE("ResNet-32 in total: parameters, moving statistics, FLOP of a step of 128") {
  rp::graph net("resnet-32");
  const auto learning = rp::plan_training(net, resnet_32::build(net), resnet_32::loss{}, resnet_32::optimiser{},
                                          rp::models::learning<resnet_32>({.batch = resnet_32::batch}));
  CHECK(learning.trainable_size() == 464'154);
  CHECK(counts(resnet_32{}).moving == 2'272);
  CHECK(learning.plan.receipt(rp::pass::forward).matrix_flop == 17'628'659'712 + 163'840);
  CHECK(learning.plan.receipt().matrix_flop == 128 * 412'290'816ULL);
}

TEST_CASE("only the weights of convolutions and of the dense layer decay") {
  rp::graph net("resnet-32");
  const auto learning = rp::plan_training(net, resnet_32::build(net), resnet_32::loss{}, resnet_32::optimiser{},
                                          rp::models::learning<resnet_32>({.batch = 1}));
  constexpr std::uint64_t all = 464'154, decaying = all - 2'272 - 10;  // all but batch normalisation and the bias
  CHECK(learning.plan.receipt(rp::pass::update).flop == 4 * all + 2 * decaying);
  CHECK(resnet_32::groups()[0].weight_decay == 2e-4);
}

TEST_CASE("ResNet-32 trains with the published options") {
  constexpr resnet_32::optimiser momentum;
  CHECK(momentum.options.momentum == 0.9);
  const auto rate = [&](std::uint64_t step) {
    return rp::scheduled_rate(momentum.schedule, momentum.learning_rate, step);
  };
  CHECK(rate(0) == 0.1);
  CHECK(rate(39'999) == 0.1);
  CHECK(rate(40'000) == near(0.01, 1e-12));
  CHECK(rate(60'000) == near(0.001, 1e-12));
  CHECK(rate(80'000) == near(0.0001, 1e-12));
  CHECK(rate(1'000'000) == near(0.0001, 1e-12));
}

TEST_CASE("ResNet-32 has study B's constants: BN ε 1e-3 and decay 0.9, leaky ReLU 0.1, zeros on either side") {
  rp::graph net("resnet-32");
  const rp::plan steps = rp::plan_inference(net, resnet_32::build(net)).plan;
  rp::graph trained("resnet-32");
  const rp::plan training =
      rp::plan_training(trained, resnet_32::build(trained), resnet_32::loss{}, resnet_32::optimiser{}, {.batch = 1})
          .plan;
  const auto normalisations = planned_arguments<rp::batch_norm_args<float>>(training);
  CHECK(normalisations.size() == 31);  // two in each of 15 units, and one before the average
  for (const auto& each : normalisations) {
    CHECK(each.options.epsilon == 1e-3);
    CHECK(each.options.momentum == 0.9);
  }
  const auto answering = planned_arguments<rp::batch_norm_inference_args<float>>(steps);
  CHECK(answering.size() == 31);
  for (const auto& each : answering) CHECK(each.options.epsilon == 1e-3);
  const auto activations = planned_arguments<rp::activate_args<float>>(steps);
  CHECK(activations.size() == 31);
  for (const auto& each : activations) {
    CHECK(each.f == rp::activation::leaky_relu);
    CHECK(each.slope == 0.1);
  }
  const auto shortcuts = planned_arguments<rp::pad_channels_args<float>>(steps);
  REQUIRE(shortcuts.size() == 2);
  rp::index_t channels = 16;
  for (const auto& each : shortcuts) {
    CHECK(each.x.cols == channels);
    CHECK(each.before == channels / 2);
    CHECK(each.y.cols == 2 * channels);  // as many zeros after
    channels *= 2;
  }
  const auto averages = planned_arguments<rp::avg_pool2d_args<float>>(steps);
  CHECK(std::ranges::count_if(averages, [](const auto& a) {
          return a.geometry.kh == 2 && a.geometry.kw == 2 && a.geometry.stride == rp::spatial(2);
        }) == 2);
}
