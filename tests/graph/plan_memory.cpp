// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/plan.hpp>

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {
/// 64 values → 32 → relu → 16, for a batch of 8: sizes of whole cache lines.
rp::node narrowing(rp::graph& net) {
  return net.input({64}) | nn::dense{.units = 32} | nn::tanh{} | nn::dense{.units = 16};
}
}  // namespace

TEST_CASE("memory that the forward pass saves for the backward pass is counted once") {
  rp::graph net("narrowing");
  const rp::node y = narrowing(net);
  const rp::plan_memory learns = rp::plan_training(net, y, nn::mse{}, nn::adam{}, {.batch = 8}).plan.memory();
  const std::size_t hidden = 8 * 32 * sizeof(float), gradient = 8 * 16 * sizeof(float);
  CHECK(learns.saved_bytes == hidden + gradient);  // tanh is computed in place of dense_1's output
  CHECK(learns.bytes(rp::memory_region::moments) == 2 * learns.bytes(rp::memory_region::parameters));
  CHECK(learns.bytes() == learns.kept_bytes() + learns.bytes(rp::memory_region::batch) +
                              learns.bytes(rp::memory_region::arena) - learns.saved_bytes);
  const rp::plan_memory parts =
      rp::plan_training(net, y, nn::mse{}, nn::adam{}, {.batch = 8, .micro_batches = 3}).plan.memory();
  CHECK(parts.saved_bytes == learns.saved_bytes);
  CHECK(rp::plan_inference(net, y, {.batch = 8}).plan.memory().saved_bytes == 0);
}

TEST_CASE("memory prints its nonzero parts") {
  CHECK(to_string(rp::plan_memory{.region_bytes = {576, 0, 0, 0, 0}, .ahead_bytes = 1728}) ==
        "2.30 kB: batch 576 B, batches ahead 1.73 kB");
  CHECK(to_string(rp::plan_memory{.region_bytes = {576, 300, 0, 0, 1408}}) ==
        "2.28 kB: batch 576 B, parameters 300 B, arena 1.41 kB");
  CHECK(
      to_string(rp::plan_memory{
          .region_bytes = {0, 100, 100, 200, 1200}, .saved_bytes = 600, .workspace_bytes = 50, .constant_bytes = 8}) ==
      "1.66 kB: parameters 100 B, gradients 100 B, moments 200 B, arena 1.20 kB, workspace 50.0 B, constants 8.00 B; "
      "1.66 times parameters, gradients, moments and 600 B of saved activations");
}
