// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>

#include <ridgepoint/models/all.hpp>

namespace rp = ridgepoint;
namespace models = ridgepoint::models;

namespace {

template <class Model>
models::random_batch drawn(rp::index_t batch, std::uint64_t seed = 1) {
  rp::graph net{std::string(Model::name)};
  const auto objectives = models::objectives_of(Model{}, net);
  return {net, objectives, batch, seed};
}

}  // namespace

TEST_CASE("a random batch of images: pixels in [0, 1), labels of all classes, the same for the same seed") {
  const auto batch = drawn<models::mnist_mlp>(200);
  REQUIRE(batch.inputs().size() == 1);
  const auto& pixels = batch.inputs()[0].numbers;
  REQUIRE(pixels.size() == 200 * 784);
  CHECK(std::ranges::all_of(pixels, [](float p) { return p >= 0 && p < 1; }));
  CHECK(*std::ranges::max_element(pixels) > 0.99F);
  REQUIRE(batch.targets().size() == 1);
  const auto& labels = batch.targets()[0].ids;
  REQUIRE(labels.size() == 200);
  CHECK(*std::ranges::min_element(labels) == 0);
  CHECK(*std::ranges::max_element(labels) == 9);
  CHECK(drawn<models::mnist_mlp>(200).inputs()[0].numbers == pixels);
  CHECK(drawn<models::mnist_mlp>(200, 2).inputs()[0].numbers != pixels);
}

TEST_CASE("a random batch of texts: ids below the vocabulary, targets of each loss, and sides") {
  const auto texts = drawn<models::text_generator_keras>(50);
  const auto& ids = texts.inputs()[0].ids;
  CHECK(ids.size() == 50 * 40);
  CHECK(*std::ranges::min_element(ids) == 0);
  CHECK(*std::ranges::max_element(ids) == 56);
  CHECK(texts.targets().size() == 2);
  CHECK(texts.targets()[1].ids.size() == 50);
  const auto reviews = drawn<models::imdb_bidirectional_lstm>(50);
  const auto& sides = reviews.targets()[0].numbers;
  CHECK(sides.size() == 50);
  CHECK(std::ranges::all_of(sides, [](float side) { return side == 0 || side == 1; }));
}

TEST_CASE("a random batch whose targets are its inputs") {
  const auto batch = drawn<models::mnist_autoencoder>(3);
  CHECK(batch.targets()[0].numbers == batch.inputs()[0].numbers);
  CHECK(batch.targets()[0].values().type() == rp::element::f32);
  rp::graph net{"odd"};
  const rp::node made = net.input({4}) | rp::nn::dense{.units = 3};
  CHECK_THROWS_WITH_AS(models::random_batch(net, {{made, rp::nn::mse{}}}, 2),
                       "random_batch: odd makes 3 of 4; must be equal if the target is the input", rp::shape_error);
}

TEST_CASE("every network in of_random_batch has a random batch") {
  const auto check = []<class Model>() {
    CAPTURE(Model::name);
    CHECK(!drawn<Model>(1).targets().empty());
  };
  [&]<class... Models>(rp::type_list<Models...>) {
    (check.template operator()<Models>(), ...);
  }(models::of_random_batch{});
}
