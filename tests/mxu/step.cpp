// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/step.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/mxu/memory.hpp>
#include <ridgepoint/mxu/vector_unit.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace tpu = ridgepoint::tpu;

TEST_CASE("step: device and host overlap, host time between loops is added") {
  const tpu::chip& on = tpu::find_chip("v2");
  std::vector<tpu::modelled_op> ops{tpu::model_matmul(on, {.m = 1024, .k = 1024, .n = 1024})};
  ops.push_back(tpu::model_update(on, 1 << 20));
  ops.back().repeat = 3;
  const tpu::modelled_op feed = tpu::model_infeed(on, {.batch = 8192, .sample_values = 1024, .label_values = 10});
  const tpu::modelled_step step = compose(on, ops, feed, 3 << 20, 8192, 8);
  CHECK(step.device_s == near(ops[0].elapsed_s + 3 * ops[1].elapsed_s));
  CHECK(step.loop_s == near(on.fit.loop_s_per_parameter * (3 << 20)));
  CHECK(step.step_s >= std::max(step.device_s, feed.elapsed_s) + step.loop_s);
  CHECK(step.step_s <= step.device_s + feed.elapsed_s + step.loop_s);
  CHECK(step.receipt().matrix_flop == 8 * ops[0].receipt.matrix_flop);
  CHECK(step.receipt().bytes.total() == 8 * (ops[0].receipt.bytes.total() + 3 * ops[1].receipt.bytes.total()));
  CHECK(step.utilisation() <= step.quoted_utilisation());
  CHECK(step.infeed_share() > 0);
  CHECK(step.bound_s(ops[0].bound) + step.bound_s(tpu::bound::hbm) >= step.device_s * (1 - 1e-12));
}

TEST_CASE("infeed: latency, bf16 samples and fp32 labels at the host's rates") {
  const tpu::chip& on = tpu::find_chip("v2");
  const tpu::modelled_op op = tpu::model_infeed(on, {.batch = 16384, .sample_values = 2000, .label_values = 1000});
  CHECK(op.elapsed_s == near(on.fit.infeed_latency_s + 2.0 * 16384 * 2000 / on.fit.infeed_bytes_per_s +
                             4.0 * 16384 * 1000 / on.fit.label_bytes_per_s));
  CHECK(op.bound == tpu::bound::host);
  CHECK_THROWS_AS(static_cast<void>(tpu::model_infeed(on, {.batch = 0, .sample_values = 1})), rp::shape_error);
}

TEST_CASE("step: the batch must be divisible by the cores, and the chip must have that many") {
  const tpu::chip& on = tpu::find_chip("v2");
  CHECK(tpu::batch_per_core(on, 64, 8) == 8);
  CHECK_THROWS_WITH_AS(static_cast<void>(tpu::batch_per_core(on, 100, 8)),
                       doctest::Contains("batch of 100 on 8 cores; must be a positive multiple"), rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(tpu::batch_per_core(on, 64, 16)), doctest::Contains("v2 has 8"),
                       rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(tpu::batch_per_core(on, 0, 8)), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(compose(on, {}, {}, 0, 7, 2)), rp::value_error);
}

TEST_CASE("memory: parameters with moments and activations against a core's HBM") {
  const tpu::chip& on = tpu::find_chip("v2");
  const double full = static_cast<double>(on.hbm_bytes);
  CHECK(fits(on, {.parameters = full / 12}));
  CHECK_FALSE(fits(on, {.parameters = full / 12 + 1}));
  CHECK(fits(on, {.parameters = 1000, .optimiser_values = 0, .activations = (full - 4000) / 4}));
  CHECK_FALSE(fits(on, {.parameters = 1001, .optimiser_values = 0, .activations = (full - 4000) / 4}));
}
