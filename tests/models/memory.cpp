// SPDX-License-Identifier: MIT
// Checks the memory of a training step against its minimum.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/models/all.hpp>

namespace rp = ridgepoint;

namespace {

template <class Model>
rp::plan plan_of(rp::index_t batch, rp::precision in) {
  rp::graph net{std::string(Model::name)};
  const auto options = rp::models::learning<Model>({.batch = batch, .precision = in});
  return rp::plan_training(net, rp::models::objectives_of(Model{}, net), typename Model::optimiser{}, options).plan;
}

/// Returns the arena bytes of the call that uses most.
std::size_t largest_call(const rp::plan& plan) {
  std::size_t most = 0;
  for (const rp::planned_call& call : plan.calls) {
    std::set<int> slots;
    for (const auto& all : {call.reads, call.writes})
      for (const rp::slot s : all)
        if (plan[s].where == rp::memory_region::arena) slots.insert(s.index);
    std::size_t bytes = 0;
    for (const int s : slots) bytes += plan[rp::slot{s}].bytes;
    most = std::max(most, bytes);
  }
  return most;
}

/// Checks the memory of one model. The map before a max pooling is not kept. If it is larger than all that is kept, as
/// after the first convolution of mnist-cnn, keras-mnist-cnn and embryo-cnn, the bound is the need of one call. A step
/// then takes up to 3.5 times parameters, gradients, moments and saved activations, but less memory than if it kept the
/// map.
template <class Model>
void check_memory(rp::precision in) {
  CAPTURE(Model::name);
  CAPTURE(to_string(in));
  const rp::plan plan = plan_of<Model>(Model::batch, in);
  const rp::plan_memory taken = plan.memory();
  const std::size_t needed = std::max(taken.saved_bytes, largest_call(plan));
  const std::size_t least = taken.kept_bytes() - taken.saved_bytes + needed;
  CHECK(static_cast<double>(taken.bytes()) <= 1.3 * static_cast<double>(least));
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

TEST_CASE("ResNet-50 trains on 8 images within 4 GB") {
  const rp::plan_memory taken = plan_of<rp::models::resnet_50>(8, rp::precision::f32).memory();
  CHECK(taken.bytes() < 4'000'000'000 / 3);  // leaves room for the workspace of convolutions
}

TEST_CASE("the map before a max pooling is not kept") {
  using model = rp::models::mnist_cnn;
  const rp::plan_memory taken = plan_of<model>(model::batch, rp::precision::f32).memory();
  constexpr std::size_t map = std::size_t{model::batch} * 28 * 28 * 64 * sizeof(float);
  CHECK(taken.saved_bytes < map);
  CHECK(taken.bytes(rp::memory_region::arena) < 1.6 * map);  // the map or its gradient, plus a quarter of it
}
