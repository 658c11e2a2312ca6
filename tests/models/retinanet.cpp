// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>

#include <ridgepoint/models/imagenet.hpp>

#include "counts.hpp"

using ridgepoint::models::retinanet;

TEST_CASE("RetinaNet in total: torchvision's parameters and multiply-adds, on images of 800 and of 224 pixels") {
  const counts large(retinanet{.pixels = 800}), by_default(retinanet{});
  for (const counts& c : {large, by_default}) {
    CHECK(c.parameters == 34'014'999 + 53'120);  // plus batch normalisation
    CHECK(c.moving == 53'120);
  }
  CHECK(large.forward == 2 * 151'540'437'248);
  CHECK(by_default.forward == 2 * 11'901'941'504);
}

TEST_CASE("RetinaNet layer by layer: ResNet-50's trunk, a pyramid of 8 convolutions, two heads of 5 for all maps") {
  const auto parameters_of = [](const layer_counts& layers) {
    std::vector<std::uint64_t> all;
    for (const auto& [parameters, flop] : layers) all.push_back(parameters);
    return all;
  };
  std::vector<std::uint64_t> expected = parameters_of(layers_of(ridgepoint::models::resnet_50{}));
  expected.pop_back();  // the dense layer
  for (const std::uint64_t channels : {512U, 1024U, 2048U}) expected.push_back(channels * 256 + 256);
  expected.insert(expected.end(), 3 + 2 + 4 + 4, 9 * 256 * 256 + 256);
  for (const std::uint64_t filters : {9U * 91, 9U * 4}) expected.push_back(9 * 256 * filters + filters);
  std::vector<std::uint64_t> layers = parameters_of(layers_of(retinanet{}));
  std::sort(expected.begin(), expected.end());
  std::sort(layers.begin(), layers.end());
  CHECK(layers == expected);
  ridgepoint::graph net("large");
  constexpr ridgepoint::index_t places = 100 * 100 + 50 * 50 + 25 * 25 + 13 * 13 + 7 * 7;
  CHECK(retinanet{.pixels = 800}.build(net).extents() == ridgepoint::shape{places * 9 * 95});
}

TEST_CASE("RetinaNet layer by layer: FLOP of the pyramid, and of heads at every place of five maps") {
  layer_counts expected = layers_of(ridgepoint::models::resnet_50{});
  expected.pop_back();  // the dense layer
  const auto add = [&](std::uint64_t places, std::uint64_t taps, std::uint64_t in, std::uint64_t out) {
    expected.emplace_back(taps * in * out + out, 2 * places * taps * in * out);
  };
  constexpr std::uint64_t sides[] = {28, 14, 7, 4, 2};
  std::uint64_t places = 0;
  for (const std::uint64_t side : sides) {
    add(side * side, 9, 256, 256);                               // in the pyramid
    if (side >= 7) add(side * side, 1, 512 * (28 / side), 256);  // lateral
    places += side * side;
  }
  for (int head = 0; head < 2; ++head)
    for (int layer = 0; layer < 4; ++layer) add(places, 9, 256, 256);
  for (const std::uint64_t filters : {9U * 91, 9U * 4}) add(places, 9, 256, filters);
  layer_counts layers = layers_of(retinanet{});
  std::sort(expected.begin(), expected.end());
  std::sort(layers.begin(), layers.end());
  CHECK(layers == expected);
}

TEST_CASE("RetinaNet refuses image sizes that its maps do not divide") {
  for (const ridgepoint::index_t pixels : {0, -32, 200}) {
    ridgepoint::graph net("odd");
    CHECK_THROWS_WITH_AS(static_cast<void>(retinanet{.pixels = pixels}.build(net)),
                         doctest::Contains("must be a positive multiple of 32"), ridgepoint::value_error);
  }
}
