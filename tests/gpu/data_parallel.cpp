// SPDX-License-Identifier: MIT
#include <ridgepoint/gpu/data_parallel.hpp>

#include <doctest/doctest.h>

#include <algorithm>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace gpu = ridgepoint::gpu;

namespace {

const gpu::platform tensorflow_v100{gpu::find_chip("v100"), gpu::find_software("tensorflow"), gpu::number_format::f32};

/// A step of a forward and a backward op, whose host has nothing else to do.
gpu::modelled_step step_of(double forward_s, double backward_s) {
  gpu::platform p = tensorflow_v100;
  p.with.host_s_per_op = p.with.host_s_per_step = p.with.feed_s_per_value = p.with.feed_latency_s = 0;
  return gpu::compose(p,
                      {{.name = "a", .pass = rp::pass::forward, .elapsed_s = forward_s},
                       {.name = "a", .pass = rp::pass::backward_weights, .elapsed_s = backward_s}},
                      {.batch = 32, .sample_values = 10});
}

}  // namespace

TEST_CASE("GPUs that share a batch add the part of the all-reduce that does not overlap") {
  gpu::platform p = tensorflow_v100;
  p.with.host_s_per_op = p.with.host_s_per_step = p.with.feed_s_per_value = p.with.feed_latency_s = 0;
  const rp::network_link& pcie = rp::find_link("pcie3");
  const rp::index_t parameters = 25'000'000;  // 100 MB, four sums
  const gpu::modelled_step one = step_of(0.01, 0.02);
  const gpu::modelled_step four = gpu::data_parallel(p, one, parameters, 4, pcie);
  const rp::data_parallel_times t =
      rp::times_of({.alone_s = 0.03, .backward_s = 0.02, .gradient_bytes = 100e6}, 4, pcie);
  CHECK(t.exposed_s > 0);
  CHECK(four.step_s == near(one.step_s + t.exposed_s));
  CHECK(four.sums_s == near(t.sums_s));
  CHECK(four.bound_s(gpu::bound::link) == near(t.exposed_s));
  CHECK(four.efficiency() == near(0.03 / four.step_s));
  CHECK(four.fed.batch == 4 * one.fed.batch);
  CHECK(four.ops.back().name == "all-reduce");
  CHECK(four.receipt().flop == one.receipt().flop);
}

TEST_CASE("one GPU sums nothing") {
  const gpu::modelled_step one = step_of(0.01, 0.02);
  const gpu::modelled_step same = gpu::data_parallel(tensorflow_v100, one, 1000, 1, rp::find_link("pcie3"));
  CHECK(same.ops.size() == one.ops.size());
  CHECK(same.step_s == one.step_s);
  CHECK(same.efficiency() == 1.0);
}

TEST_CASE("one host feeds all GPUs") {
  gpu::platform p = tensorflow_v100;
  p.with.feed_s_per_value = 1e-3, p.with.feed_latency_s = 0;
  const gpu::modelled_step one = gpu::compose(p, {{.name = "a", .elapsed_s = 0.01}}, {.batch = 32, .sample_values = 1});
  const gpu::modelled_step eight = gpu::data_parallel(p, one, 1000, 8, rp::find_link("nvlink2"));
  CHECK(eight.feed_s == near(8 * one.feed_s));
  CHECK(eight.step_s > 7 * one.step_s);
}

TEST_CASE("every published chip has a link between its GPUs") {
  CHECK(gpu::usual_link(gpu::find_chip("k80")).name == "pcie3");
  CHECK(gpu::usual_link(gpu::find_chip("v100")).name == "nvlink2");
  CHECK(gpu::usual_link(gpu::find_chip("h200")).name == "nvlink4");
}
