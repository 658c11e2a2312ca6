// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/models/mnist.hpp>

namespace rp = ridgepoint;
using rp::models::mnist_mlp;

TEST_CASE("the study-A MLP has the published parameters and matrix FLOP, from its receipts") {
  rp::graph net("mnist-mlp");
  const rp::node logits = mnist_mlp::build(net);
  const auto forward = rp::plan_inference(net, logits, {.batch = mnist_mlp::batch});
  const auto training =
      rp::plan_training(net, logits, mnist_mlp::loss{}, mnist_mlp::optimiser{}, {.batch = mnist_mlp::batch});

  rp::index_t parameters = 0;
  for (const auto& p : training.parameters) parameters += p.spec.extents.size();
  CHECK(parameters == 1'195'018);
  CHECK(forward.plan.receipt().matrix_flop == 2'385'920ULL * mnist_mlp::batch);
  CHECK(training.plan.receipt(rp::pass::forward).matrix_flop == 2'385'920ULL * mnist_mlp::batch);
  CHECK(training.plan.receipt().matrix_flop == 6'354'944ULL * mnist_mlp::batch);
  CHECK(training.plan.receipt(rp::pass::update).bytes.total() == 28ULL * 1'195'018);
}

TEST_CASE("the hyper-parameters of the study-A MLP are the study's") {
  constexpr mnist_mlp::optimiser adam;
  CHECK(adam.learning_rate == 1e-3);
  CHECK(adam.options.beta1 == 0.9);
  CHECK(adam.options.beta2 == 0.999);
  CHECK(adam.options.epsilon == 1e-7);
  CHECK(mnist_mlp::batch == 128);
  CHECK(mnist_mlp::epochs == 5);
}
