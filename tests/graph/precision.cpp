// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/reference/all.hpp>

#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

TEST_CASE("precision defaults to that of the values fed") {
  rp::graph net("precision");
  const rp::node y = toy::mlp(net);
  CHECK(rp::plan_inference(net, y).precision == rp::precision::f32);
  CHECK(net.compile<double>(rp::reference, y).answering().made().precision == rp::precision::f64);
  CHECK(net.compile<float>(rp::reference, y).answering().made().precision == rp::precision::f32);
  CHECK(to_string(rp::precision::f64) == "f64");
  CHECK(rp::storage_of(rp::precision::f64) == rp::element::f64);
  CHECK_THROWS_WITH_AS(static_cast<void>(net.compile<float>(rp::reference, y, {.precision = rp::precision::f64})),
                       "reference has no dense<double> (layer dense_1)", rp::unsupported);
}

TEST_CASE("a network that is fed with float computes in double on request, and vice versa") {
  const auto train = [](auto fed, rp::precision in) {
    using T = decltype(fed);
    rp::graph net("toy");
    const rp::node y = toy::mlp(net);
    return net.train<T>(rp::reference, y, nn::softmax_cross_entropy{}, nn::adam{.learning_rate = 0.01},
                        {.batch = 32, .seed = 42, .precision = in},
                        std::conditional_t<std::same_as<T, float>, rp::all_ops<double>, rp::all_ops<float>>{});
  };
  const toy::corners data;
  auto wide = train(float{}, rp::precision::f64);
  auto narrow = train(double{}, rp::precision::f32);
  CHECK(wide.fit(data, {.epochs = 2}).loss == toy::trainer<double>(rp::reference).fit(data, {.epochs = 2}).loss);
  CHECK(narrow.fit(data, {.epochs = 2}).loss == toy::trainer<float>(rp::reference).fit(data, {.epochs = 2}).loss);
  const std::vector<float> x(12, 0.5F);
  const std::vector<double> same(x.begin(), x.end());
  CHECK(wide.predict(x).shape() == rp::shape{2, 3});
  CHECK(narrow.plan().calls.front().op == rp::op_id_of<rp::dense_args<float>>);
  const rp::tensor<double> w = narrow.parameter("dense_1.w");
  for (const double value : w.values()) CHECK(value == static_cast<double>(static_cast<float>(value)));
}
