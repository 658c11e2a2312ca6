// SPDX-License-Identifier: MIT
// What a training step takes beside what it can not do without.
#include <doctest/doctest.h>

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/models/all.hpp>

namespace rp = ridgepoint;

namespace {

template <class Model>
rp::plan_memory memory_of(rp::index_t batch, rp::precision in) {
  rp::graph net{std::string(Model::name)};
  const rp::node output = Model{}.build(net);
  const auto options = rp::models::learning<Model>({.batch = batch, .precision = in});
  return rp::plan_training(net, output, typename Model::loss{}, typename Model::optimiser{}, options).plan.memory();
}

template <class Model>
void check_memory(rp::precision in) {
  CAPTURE(Model::name);
  CAPTURE(to_string(in));
  const rp::plan_memory taken = memory_of<Model>(Model::batch, in);
  // Right behind the first convolution is the largest activation by far: its gradient is as large, once.
  const bool largest_first = Model::name == "mnist-cnn" || Model::name == "keras-mnist-cnn";
  const double most = largest_first ? 1.35 : 1.3;
  CHECK(static_cast<double>(taken.bytes()) <= most * static_cast<double>(taken.kept_bytes()));
  CHECK(taken.saved_bytes <= taken.bytes(rp::memory_region::arena));
}

template <class... Models>
void check_memories(rp::type_list<Models...>) {
  for (const rp::precision in : {rp::precision::f32, rp::precision::bf16}) (check_memory<Models>(in), ...);
}

}  // namespace

TEST_CASE("a training step takes little more than parameters, gradients, moments and saved activations") {
  check_memories(rp::models::all{});
}

TEST_CASE("ResNet-50 learns from 8 images within 4 GB") {
  const rp::plan_memory taken = memory_of<rp::models::resnet_50>(8, rp::precision::f32);
  CHECK(taken.bytes() < 4'000'000'000 / 3);  // what convolutions want beside it, too
}
