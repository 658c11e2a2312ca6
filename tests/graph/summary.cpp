// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/summary.hpp>

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

TEST_CASE("a summary lists the dependencies of the output: shapes, parameters, FLOP of one sample") {
  rp::graph net("tiny");
  const rp::node x = net.input({4}), y = x | nn::dense{.units = 8} | nn::relu{} | nn::dense{.units = 3};
  static_cast<void>(x | nn::dense{.units = 100});  // the output does not depend on it
  const rp::network_summary s = net.summary(y, {.batch = 32});
  REQUIRE(s.layers.size() == 4);
  CHECK(s.layers[1].name == "dense_1");
  CHECK(s.layers[1].output == rp::shape{8});
  CHECK(s.layers[1].parameters == 4 * 8 + 8);
  CHECK(s.layers[1].forward.matrix_flop == 2 * 4 * 8);
  CHECK(s.layers[2].name == "relu_1");
  CHECK(s.layers[2].forward == rp::work{});  // fused into dense_1
  const rp::layer_summary total = s.total();
  CHECK(total.parameters == 40 + 27);
  CHECK(total.trainable == 67);
  CHECK(total.output == rp::shape{3});
  const rp::plan one = rp::plan_inference(net, y).plan, many = rp::plan_inference(net, y, {.batch = 32}).plan;
  CHECK(total.forward == one.receipt());
  CHECK(s.step == many.receipt());
  CHECK(s.memory == many.memory());
  CHECK(s.memory.bytes(rp::memory_region::gradients) == 0);
  CHECK(to_string(s) ==
        "tiny     output      parameters        FLOP\n"
        "         one sample              one sample\n"
        "-------------------------------------------\n"
        "input_1  4\n"
        "dense_1  8                   40          80\n"
        "relu_1   8\n"
        "dense_2  3                   27          51\n"
        "-------------------------------------------\n"
        "total    3                   67         131\n"
        "a step of 32 in f32: 4.19 kFLOP; memory 2.28 kB: batch 576 B, parameters 300 B, arena 1.41 kB\n");
}

TEST_CASE("a summary of several outputs lists the dependencies of any of them") {
  rp::graph net("heads");
  const rp::node h = net.input({4}) | nn::dense{.units = 8}, a = h | nn::dense{.units = 3},
                 b = h | nn::dense{.units = 2};
  const rp::network_summary s = net.summary({a, b}, {.batch = 32});
  CHECK(s.layers.size() == 4);
  CHECK(s.total().parameters == 40 + 27 + 18);
  const rp::node both[] = {a, b};
  CHECK(s.step == rp::plan_inference(net, both, {.batch = 32}).plan.receipt());
  CHECK(net.summary({a}).layers.size() == net.summary(a).layers.size());
}

TEST_CASE("a summary of training has the memory and the work of training, in the requested type") {
  rp::graph net("statistics");
  const rp::node y = net.input({4, 4, 2}) | nn::batch_norm{} | nn::flatten{} | nn::dense{.units = 1'000};
  const rp::compile_options options{.batch = 8, .precision = rp::precision::f64};
  const auto learns = net.summary(y, nn::softmax_cross_entropy{}, nn::adam{}, options);
  const rp::plan steps = rp::plan_training(net, y, nn::softmax_cross_entropy{}, nn::adam{}, options).plan;
  CHECK(learns.memory == steps.memory());
  const std::vector<rp::objective> objectives{{y, nn::softmax_cross_entropy{}}};
  CHECK(net.summary(objectives, nn::adam{}, options).memory == learns.memory);
  CHECK(learns.step == steps.receipt());
  CHECK(learns.memory.bytes(rp::memory_region::moments) >= 2 * 33'004 * sizeof(double));
  CHECK(learns.total().parameters == 33'000 + 8);
  CHECK(learns.total().trainable == 33'000 + 4);  // moving statistics are not trainable
  const std::string text = to_string(learns);
  CAPTURE(text);
  CHECK(text.find("\ntotal         1000            33,008  ") != std::string::npos);
  CHECK(text.find("\ntrainable                     33,004\n") != std::string::npos);
  CHECK(text.find("a step of 8 in f64: ") != std::string::npos);
  CHECK(text.find("moments") != std::string::npos);
  CHECK(text.find(" of saved activations\n") != std::string::npos);
}
