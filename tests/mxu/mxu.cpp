// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/mxu.hpp>

#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/mnist.hpp>

#include "graph/learning.hpp"
#include "mxu/backend.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;
namespace sys = ridgepoint::systolic;
using mxu_backend::small_mxu;

static_assert(rp::backend<rp::mxu<rp::cpu>> && rp::backend<rp::mxu<rp::reference_backend>>);
static_assert(!rp::executes<rp::mxu<rp::cpu>, rp::gemm_args<double>>, "the array has no double");

namespace {

/// Checks that every op runs on the TPU, on the array or the vector unit, and that the model has a time for it.
template <class... Args>
constexpr bool all_have_a_place(rp::type_list<Args...>) {
  return (rp::executes<rp::mxu<rp::cpu>, Args> && ...) && (rp::tpu::placeable<Args> && ...);
}
static_assert(
    all_have_a_place(rp::all_ops<float>{} + rp::untyped_ops{}),
    "an op without an implementation: a dense product needs an overload of execute() in mxu/, and one of modelled()");

template <class On>
auto mlp_on(const On& on, rp::index_t batch) {
  using model = rp::models::mnist_mlp;
  rp::graph net("mlp");
  const rp::node y = model::build(net);
  return net.template train<float>(on, y, model::loss{}, model::optimiser{}, {.batch = batch, .seed = 42});
}

}  // namespace

TEST_CASE("a backend reports its name") {
  const rp::mxu on(rp::cpu(2), rp::tpu::find_chip("v2"));
  CHECK(on.name() == "mxu.v2.bf16");
  CHECK(on.format() == sys::number_format::bf16);
  CHECK(on.thread_count() == 2);
  CHECK(rp::mxu(rp::reference, rp::tpu::find_chip("v1")).name() == "mxu.v1.int8");
  CHECK(rp::mxu(rp::reference, rp::tpu::find_chip("v3"), sys::number_format::fp32).name() == "mxu.v3.fp32");
}

TEST_CASE("an invalid array is refused") {
  CHECK_THROWS_WITH_AS(small_mxu(sys::number_format::bf16, 0), doctest::Contains("must have 1 to 1024"),
                       rp::value_error);
  CHECK_THROWS_AS(small_mxu(sys::number_format::bf16, 1025), rp::value_error);
  rp::tpu::chip odd = rp::tpu::find_chip("v2");
  odd.dtype = "fp8";
  CHECK_THROWS_AS(rp::mxu(rp::cpu(1), odd), rp::value_error);
}

TEST_CASE("a network trains in every format, with results close to fp32") {
  const std::vector<float> images = [] {
    rp::random_stream random(3);
    std::vector<float> x(8 * 28 * 28);
    for (float& v : x) v = static_cast<float>(random.uniform(0, 1));
    return x;
  }();
  const std::int32_t labels[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto losses = [&](const auto& on) {
    auto trainer = mlp_on(on, 8);
    return std::array{trainer.step(images, labels), trainer.step(images, labels), trainer.step(images, labels)};
  };
  const auto expected = losses(rp::cpu(1));
  const auto gap = [&](sys::number_format f) {
    const auto got = losses(rp::mxu(rp::cpu(1), rp::tpu::find_chip("v2"), f));
    double largest = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
      largest = std::max(largest, std::abs(got[i] - expected[i]) / expected[i]);
    return largest;
  };
  CHECK(gap(sys::number_format::fp32) < 1e-4);
  CHECK(gap(sys::number_format::bf16) < 0.05);
  CHECK(gap(sys::number_format::int8) < 0.1);
  CHECK(gap(sys::number_format::bf16) > 0);  // bf16 does round
}

TEST_CASE("networks stored in bfloat16 learn on the array as in float") {
  using rp::precision;
  const rp::mxu array(rp::cpu(1), rp::tpu::find_chip("v2"));
  const toy::corners points;
  const toy::spots images;
  CHECK(toy::trained<precision::bf16>(array, toy::mlp, points) ==
        near(toy::trained<precision::f32>(rp::cpu(1), toy::mlp, points), 0.02));
  CHECK(toy::trained<precision::bf16>(array, toy::cnn, images) ==
        near(toy::trained<precision::f32>(rp::cpu(1), toy::cnn, images), 0.02));
}

TEST_CASE("a graph in double is refused") {
  rp::graph net("wide");
  const rp::node y = net.input({4}) | rp::nn::dense{.units = 2};
  CHECK_THROWS_WITH_AS(static_cast<void>(net.compile<double>(small_mxu(sys::number_format::bf16), y, {.batch = 1})),
                       doctest::Contains("mxu.v2.bf16 has no dense<double>"), rp::unsupported);
}
