// SPDX-License-Identifier: MIT
// Runs the library's unchanged MLP on the backend of docs/add_a_backend.md.
#include <doctest/doctest.h>

#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/mnist.hpp>

#include "docs/toy/logging/logging.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

/// The study's MLP, for a batch of two.
auto mlp_trainer(const auto& on) {
  using model = rp::models::mnist_mlp;
  rp::graph net("mlp");
  const rp::node y = model::build(net);
  return net.template train<float>(on, y, model::loss{}, model::optimiser{}, {.batch = 2, .seed = 42});
}

}  // namespace

TEST_CASE("the MLP trains on a backend written outside the library") {
  const toy::logging on;
  auto trainer = mlp_trainer(on);
  auto expected = mlp_trainer(rp::reference);
  const std::vector<float> images(2 * 28 * 28, 0.25F);
  const std::int32_t labels[] = {3, 7};
  for (int step = 0; step < 2; ++step) CHECK(trainer.step(images, labels) == expected.step(images, labels));

  const toy::logging::journal& log = on.log();
  CHECK(log.calls.at("dense<float>") == 2 * 5);                // five layers, two steps
  CHECK(log.calls.at("dense_backward_data<float>") == 2 * 4);  // not for the first layer
  CHECK(log.calls.at("adam_update<float>") == 2 * 5);
  CHECK(log.calls.at("advance") == 2);
  CHECK(log.uploaded_bytes >= 1'195'018 * sizeof(float));       // the parameters, once
  CHECK(log.allocated_bytes >= 4 * 1'195'018 * sizeof(float));  // and their gradients and two moments
}

TEST_CASE("a step transfers only its batch and its scalars") {
  const toy::logging on;
  auto trainer = mlp_trainer(on);
  const std::vector<float> images(2 * 28 * 28, 0.25F);
  const std::int32_t labels[] = {3, 7};
  const toy::logging::journal before = on.log();
  trainer.step(images, labels);
  CHECK(on.log().uploaded_bytes - before.uploaded_bytes == images.size() * sizeof(float) + sizeof labels);
  CHECK(on.log().downloaded_bytes - before.downloaded_bytes == sizeof(rp::step_state));
  CHECK(on.log().allocated_bytes == before.allocated_bytes);
}

TEST_CASE("an op that the backend lacks is named") {
  struct half : rp::host_memory {
    [[nodiscard]] static std::string name() { return "half"; }
  };
  CHECK_THROWS_WITH_AS(mlp_trainer(half{}), doctest::Contains("half has no "), rp::unsupported);
}
