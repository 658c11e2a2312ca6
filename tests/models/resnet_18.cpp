// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/small_images.hpp>

#include "counts.hpp"
#include "support/near.hpp"
#include "support/planned_arguments.hpp"

namespace rp = ridgepoint;
using rp::models::resnet_18;

TEST_CASE("ResNet-18 for CIFAR-10, layer by layer: a stem of 3x3, eight blocks, three projections") {
  layer_counts expected;
  add_convolution(expected, 32, 3, 3, 64);
  for (int block = 0; block < 4; ++block) add_convolution(expected, 32, 3, 64, 64);
  for (std::uint64_t side = 16, width = 128; width <= 512; side /= 2, width *= 2) {
    add_convolution(expected, side, 3, width / 2, width);
    add_convolution(expected, side, 3, width, width);
    add_convolution(expected, side, 1, width / 2, width);  // the shortcut
    for (int more = 0; more < 2; ++more) add_convolution(expected, side, 3, width, width);
  }
  expected.push_back({5'130, 10'240});
  CHECK(layers_of(resnet_18{}) == expected);
}

TEST_CASE("ResNet-18 in total: parameters, moving statistics, FLOP of a step of 512") {
  const counts c(resnet_18{}, 512);
  CHECK(c.parameters == 11'173'962);
  CHECK(c.moving == 9'600);
  CHECK(c.forward == 2 * 555'422'720ULL);
  CHECK(c.training == 3 * c.forward - 2 * 32 * 32 * 27 * 64);  // without the gradient of the images
}

TEST_CASE("maps of ResNet-18: 32, 16, 8 and 4 pixels; the last is averaged") {
  rp::graph net("resnet-18");
  const rp::plan steps = rp::plan_inference(net, resnet_18::build(net)).plan;
  std::vector<std::pair<rp::index_t, rp::index_t>> maps;  // side and channels, at each change
  for (const auto& call : planned_arguments<rp::conv2d_args<float>>(steps)) {
    const std::pair map{call.geometry.oh(), call.geometry.f};
    if (maps.empty() || maps.back() != map) maps.push_back(map);
  }
  CHECK(maps == std::vector<std::pair<rp::index_t, rp::index_t>>{{32, 64}, {16, 128}, {8, 256}, {4, 512}});
  const auto averages = planned_arguments<rp::avg_pool2d_args<float>>(steps);
  REQUIRE(averages.size() == 1);
  CHECK(averages[0].geometry.kh == 4);
  CHECK(averages[0].geometry.kw == 4);
}

TEST_CASE("ResNet-18 trains like the paper's networks for CIFAR-10; weights decay, biases and normalisations do not") {
  constexpr resnet_18::optimiser momentum;
  CHECK(momentum.options.momentum == 0.9);
  const auto rate = [&](std::uint64_t step) {
    return rp::scheduled_rate(momentum.schedule, momentum.learning_rate, step);
  };
  CHECK(rate(31'999) == 0.1);
  CHECK(rate(32'000) == near(0.01, 1e-12));
  CHECK(rate(48'000) == near(0.001, 1e-12));
  CHECK(rate(64'000) == near(0.001, 1e-12));
  CHECK(resnet_18::epochs == 64'000 * 128 / 50'000 + 1);
  rp::graph net("resnet-18");
  constexpr std::uint64_t all = 11'173'962, decaying = all - 9'600 - 10;  // all but batch normalisation and the bias
  const auto learning = rp::plan_training(net, resnet_18::build(net), resnet_18::loss{}, resnet_18::optimiser{},
                                          rp::models::learning<resnet_18>({.batch = 1}));
  CHECK(learning.plan.receipt(rp::pass::update).flop == 4 * all + 2 * decaying);
  CHECK(resnet_18::groups()[0].weight_decay == 1e-4);
}
