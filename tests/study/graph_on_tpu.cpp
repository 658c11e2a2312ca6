// SPDX-License-Identifier: MIT
#include <ridgepoint/study/modelled_graph.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/models/mnist.hpp>
#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/reference/reference.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace tpu = ridgepoint::tpu;
using model = rp::models::mnist_mlp;

namespace {

struct mlp {
  rp::graph net{"mlp"};
  rp::node output = model::build(net);
  [[nodiscard]] auto training(rp::index_t batch) const {
    return rp::plan_training(net, output, model::loss{}, model::optimiser{}, {.batch = batch});
  }
};
const tpu::chip& v2 = tpu::find_chip("v2");

}  // namespace

TEST_CASE("a training step: every product of the graph, updates, and times that add up") {
  const auto made = mlp().training(128);
  const tpu::modelled_step step = modelled(v2, made);
  CHECK(step.receipt().matrix_flop == made.plan.receipt().matrix_flop);
  CHECK(step.receipt().matrix_flop == 128 * 6'354'944ULL);
  double sum = 0;
  for (const tpu::modelled_op& op : step.ops) {
    CHECK(op.elapsed_s > 0);
    CHECK((op.utilisation >= 0 && op.utilisation <= 1));
    sum += op.total_s();
  }
  CHECK(step.device_s == near(sum));
  CHECK(step.step_s >= step.device_s);
  CHECK(step.batch == 128);
  const auto updates =
      std::count_if(step.ops.begin(), step.ops.end(), [](const auto& op) { return op.pass == rp::pass::update; });
  CHECK(updates == 10);  // Adam and the second pass, for five layers
}

TEST_CASE("eight cores share the batch, sum their gradients and wait for a larger feed") {
  const auto made = mlp().training(128);
  const auto one = modelled(v2, made), eight = modelled(v2, made, 8);
  CHECK(eight.batch == 8 * 128);
  CHECK(eight.ops.size() == one.ops.size() + 1);
  CHECK(eight.ops.back().bound == tpu::bound::ici);
  CHECK(eight.device_s == near(one.device_s + eight.ops.back().elapsed_s));
  CHECK(eight.infeed.elapsed_s > one.infeed.elapsed_s);
  for (const int cores : {0, 9}) CHECK_THROWS_AS(static_cast<void>(modelled(v2, made, cores)), rp::value_error);
}

TEST_CASE("labels of samples are fed as one number per class, labels of sequences as ids") {
  namespace nn = rp::nn;
  rp::graph net("tokens");
  const rp::node states = net.input({5}, rp::element::i32) | nn::embedding{.vocabulary = 7, .width = 4};
  const auto fed_bytes = [&](const rp::node& logits) {
    const auto made = rp::plan_training(net, logits, nn::softmax_cross_entropy{}, nn::sgd{}, {.batch = 3});
    return modelled(v2, made).infeed.receipt.bytes.inputs;
  };
  CHECK(fed_bytes(states | nn::dense{.units = 7}) == 3 * (5 * 2 + 5 * 4));
  CHECK(fed_bytes(states | nn::flatten{} | nn::dense{.units = 7}) == 3 * (5 * 2 + 7 * 4));
}

TEST_CASE("samples are fed in the activations' type") {
  const auto made = mlp().training(128);
  tpu::chip wide = v2;
  wide.operand_bytes = 4;
  CHECK(modelled(v2, made).infeed.receipt.bytes.inputs == 128 * (784 * 2 + 10 * 4));
  CHECK(modelled(wide, made).infeed.receipt.bytes.inputs == 128 * (784 * 4 + 10 * 4));
}

TEST_CASE("the step never gets faster with more samples, and the utilisation of the array grows") {
  double before_s = 0, before_utilisation = 0;
  for (const rp::index_t batch : {8, 32, 128, 512, 2048}) {
    const auto step = modelled(v2, mlp().training(batch));
    CHECK(step.device_s >= before_s);
    CHECK(step.utilisation() >= before_utilisation);
    before_s = step.device_s, before_utilisation = step.utilisation();
  }
}

TEST_CASE("inference has no updates, and runs on TPU v1, which cannot train") {
  const mlp m;
  const auto made = rp::plan_inference(m.net, m.output, {.batch = 200});
  const auto step = modelled(tpu::find_chip("v1"), made);
  CHECK(step.receipt().matrix_flop == 200 * 2'385'920ULL);
  CHECK_THROWS_WITH_AS(static_cast<void>(modelled(tpu::find_chip("v1"), m.training(8))),
                       doctest::Contains("TPU v1 only infers"), rp::unsupported);
}

TEST_CASE("an op that the chip cannot run is named") {
  const mlp m;
  const auto wide = rp::plan_inference(m.net, m.output, {.batch = 2, .precision = rp::precision::f64});
  CHECK_THROWS_WITH_AS(static_cast<void>(tpu::modelled_ops(v2, wide.plan)),
                       doctest::Contains("TPU v2 has no model of dense<double> (layer dense_1)"), rp::unsupported);
}

TEST_CASE("on a backend the step has its chip's time") {
  const auto made = mlp().training(32);
  CHECK(rp::modelled(rp::mxu(rp::reference, v2), made, 2).step_s == modelled(v2, made, 2).step_s);
}

TEST_CASE("between convolutions batch normalisation keeps its sums only; what follows it is computed on the way") {
  namespace nn = rp::nn;
  rp::graph net("block");
  const nn::conv2d convolution{.filters = 128, .kernel = 3, .bias = false};
  const rp::node stem = net.input({16, 16, 128}) | convolution;
  const rp::node x = stem | nn::batch_norm{} | nn::relu{} | convolution;
  const auto made = rp::plan_training(net, x | nn::flatten{} | nn::dense{.units = 4}, nn::softmax_cross_entropy{},
                                      nn::sgd{}, {.batch = 8});
  const auto ops = tpu::modelled_ops(v2, made.plan, {}, made.batch);
  std::vector<std::uint64_t> sums;
  for (const tpu::modelled_op& op : ops) {
    CHECK(op.name.find("relu") == std::string::npos);
    if (op.name.find("batch_norm") != std::string::npos && op.pass != rp::pass::update) sums.push_back(op.bytes);
  }
  const std::uint64_t image = 2 * 8 * 14 * 14 * 128;  // the first convolution's result
  REQUIRE(sums.size() == 2);
  CHECK(static_cast<double>(sums[0]) == near(static_cast<double>(image), 0.01));      // x
  CHECK(static_cast<double>(sums[1]) == near(static_cast<double>(2 * image), 0.01));  // x and dy
}

TEST_CASE("few samples and few channels are padded between convolutions") {
  namespace nn = rp::nn;
  const auto sums_bytes = [](rp::index_t batch, rp::index_t filters) {
    rp::graph net("narrow");
    const rp::node x = net.input({16, 16, 8}) | nn::conv2d{.filters = filters, .kernel = 3, .bias = false} |
                       nn::batch_norm{} | nn::flatten{} | nn::dense{.units = 4};
    const auto made = rp::plan_training(net, x, nn::softmax_cross_entropy{}, nn::sgd{}, {.batch = batch});
    for (const tpu::modelled_op& op : tpu::modelled_ops(v2, made.plan, {}, made.batch))
      if (op.name.find("batch_norm") != std::string::npos) return static_cast<double>(op.bytes);
    return 0.0;
  };
  const double image = 2 * 14 * 14;                            // of a sample and a channel
  CHECK(sums_bytes(8, 16) == near(image * 8 * 128, 0.02));     // channels to 128
  CHECK(sums_bytes(128, 16) == near(image * 128 * 16, 0.02));  // samples are 128
}

TEST_CASE("memory of a graph") {
  const auto made = mlp().training(128);
  const tpu::step_memory need = tpu::memory_of(made);
  CHECK(need.parameters >= 1'195'018);
  CHECK(need.parameters < 1.001 * 1'195'018);  // layers are aligned
  CHECK(need.optimiser_values == near(2, 0.001));
  CHECK(need.activations * 4 == static_cast<double>(made.plan.bytes(rp::memory_region::arena)));
  CHECK(tpu::fits(v2, need));
}
