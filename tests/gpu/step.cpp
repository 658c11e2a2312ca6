// SPDX-License-Identifier: MIT
#include <ridgepoint/gpu/step.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/gpu/platform.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace gpu = ridgepoint::gpu;

namespace {

gpu::modelled_op op_of(double elapsed_s, ridgepoint::index_t dispatches) {
  gpu::modelled_op op{.name = "op", .dispatches = dispatches, .kernels = dispatches};
  op.elapsed_s = elapsed_s;
  return op;
}
gpu::platform with(const gpu::software& s) { return {gpu::find_chip("v100"), s, gpu::number_format::f32}; }

}  // namespace

TEST_CASE("gpu step: the maximum of device, dispatch and feed") {
  gpu::software s{.name = "s", .description = {}, .host_s_per_op = 10e-6, .host_s_per_step = 1e-3};
  gpu::modelled_op repeated = op_of(1e-3, 2);
  repeated.repeat = 3;
  const auto step = compose(with(s), {op_of(2e-3, 1), repeated}, {.batch = 64, .sample_values = 100});
  CHECK(step.device_s == near(5e-3));
  CHECK(step.dispatches == 7);
  CHECK(step.dispatch_s == near(1.07e-3));
  CHECK(step.feed_s == 0);
  CHECK(step.step_s == near(5e-3));
  CHECK(step.wait_s() == 0);
  s.host_s_per_op = 1e-3;
  CHECK(compose(with(s), step.ops, step.fed).step_s == near(8e-3));
  s.feed_s_per_value = 1e-6, s.feed_latency_s = 1e-4;  // 6.5 ms
  CHECK(compose(with(s), step.ops, step.fed).feed_s == near(6.5e-3));
  CHECK(compose(with(s), step.ops, step.fed).step_s == near(8e-3));
  s.host_overlap_exponent = 1;
  CHECK(compose(with(s), step.ops, step.fed).step_s == near(14.5e-3));
}

TEST_CASE("gpu step: receipts of repeated ops add up; an invalid platform is refused") {
  gpu::modelled_op op = op_of(1e-3, 1);
  op.receipt = {.flop = 10, .matrix_flop = 8, .special = 1, .bytes = {1, 2, 3}};
  op.repeat = 4;
  const gpu::platform p = with(gpu::find_software("recorded"));
  const auto step = compose(p, {op, op}, {.batch = 1, .sample_values = 1});
  CHECK(step.receipt() == rp::work{.flop = 80, .matrix_flop = 64, .special = 8, .bytes = {8, 16, 24}});
  gpu::platform none = p;
  none.on.multiprocessors = 0;
  CHECK_THROWS_AS(static_cast<void>(compose(none, {op}, {})), rp::value_error);
}
