// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/models/mnist.hpp>

#include "counts.hpp"

namespace rp = ridgepoint;
using rp::models::mnist_cnn;

TEST_CASE("the study-A CNN has the published parameters and matrix FLOP, from its receipts") {
  rp::graph net("mnist-cnn");
  const rp::node logits = mnist_cnn::build(net);
  const auto training =
      rp::plan_training(net, logits, mnist_cnn::loss{}, mnist_cnn::optimiser{}, {.batch = mnist_cnn::batch});
  CHECK(training.trainable_size() == 112'074);
  CHECK(training.plan.receipt(rp::pass::forward).matrix_flop == 19'041'536ULL * mnist_cnn::batch);
  CHECK(training.plan.receipt().matrix_flop == 56'221'440ULL * mnist_cnn::batch);
  CHECK(training.plan.receipt(rp::pass::update).bytes.total() == 28ULL * 112'074);
}

TEST_CASE("the layers of the study-A CNN are the study's") {
  rp::graph net("mnist-cnn");
  const rp::node logits = mnist_cnn::build(net);
  const auto made = rp::plan_inference(net, logits, {.batch = 1});
  std::vector<rp::index_t> sizes;
  for (const auto& p : made.parameters) sizes.push_back(p.spec.extents.size());
  CHECK(sizes == std::vector<rp::index_t>{576, 64, 36'864, 64, 36'864, 64, 36'864, 64, 640, 10});
  CHECK(mnist_cnn::batch == 128);
  CHECK(mnist_cnn::epochs == 10);
}

TEST_CASE("the layers of the study-A CNN have the published parameters and FLOP") {
  constexpr std::uint64_t wide = 9 * 64 * 64 + 64;
  CHECK(layers_of(mnist_cnn{}) ==
        layer_counts{{640, 903'168}, {wide, 14'450'688}, {wide, 3'612'672}, {wide, 73'728}, {650, 1'280}});
}
