// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/vector_unit.hpp>

#include <doctest/doctest.h>

#include <limits>

#include <ridgepoint/mxu/chips.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace tpu = ridgepoint::tpu;

TEST_CASE("vector unit: two operations per cycle on 1024 values, with concurrent loads and stores") {
  const tpu::chip& on = tpu::find_chip("v2");
  const auto cycles = [&](double flop, double read, double written, double special = 0) {
    const tpu::modelled_op op = tpu::model_vector(on, {.elements = 1024 * 1000,
                                                       .flop_per_element = flop,
                                                       .special_per_element = special,
                                                       .bytes_read = read,
                                                       .bytes_written = written});
    return op.vpu_s * on.clock_hz / 1000;
  };
  CHECK(cycles(4, 4, 4) == near(2));
  CHECK(cycles(1, 12, 4) == near(3));
  CHECK(cycles(1, 4, 8) == near(2));
  CHECK(cycles(0, 4, 4, 1) == near(4));  // exp at an eighth of the rate of an addition
}

TEST_CASE("vector unit: memory binds below 4.8 FLOP/B, the vector unit above, given the rate of streams") {
  const tpu::chip& on = tpu::find_chip("v2");
  const auto bound_of = [&](double flop) {
    return tpu::model_vector(on, {.elements = 1 << 22, .flop_per_element = flop}).bound;
  };
  CHECK(bound_of(4) == tpu::bound::hbm);
  CHECK(bound_of(8 * 4.8 / 0.8) == tpu::bound::vpu);
}

TEST_CASE("update: bytes and intensity from ParaDnn's traces") {
  const tpu::chip& on = tpu::find_chip("v2");
  const tpu::modelled_op fused = tpu::model_update(on, 1'000'000),
                         extra = tpu::model_update(on, 1'000'000, tpu::extra_pass);
  CHECK(fused.bytes == 28'000'000);
  CHECK(fused.receipt.flop_per_byte() == near(9.0 / 28));
  CHECK(extra.bytes == 12'000'000);
  CHECK(extra.receipt.flop_per_byte() == near(1.0 / 12));
  CHECK(fused.pass == rp::pass::update);
  CHECK(tpu::model_update(on, 1000, tpu::adam_update).bytes == 28'000);
  CHECK(tpu::model_update(on, 1000, tpu::adam_update).receipt.flop ==
        receipt(rp::adam_update_args<float>{.size = 1000}).flop);
  CHECK(tpu::rmsprop_update.flop == 9);  // as counted by a TPU's profiler
  CHECK(tpu::model_update(on, 1000, tpu::momentum_update).bytes == 20'000);
  CHECK(tpu::model_update(on, 1000, tpu::sgd_update).bytes == 12'000);
}

TEST_CASE("vector unit: elapsed time grows with the elements and never exceeds the roof") {
  const tpu::chip& on = tpu::find_chip("v3");
  double before = 0;
  for (rp::index_t n = 1; n < 1 << 24; n = 3 * n + 1) {
    const tpu::modelled_op op = tpu::model_update(on, n);
    CHECK(op.elapsed_s >= before);
    CHECK(op.elapsed_s >= op.least_s());
    before = op.elapsed_s;
  }
}

TEST_CASE("vector unit: invalid arguments throw typed errors") {
  const tpu::chip& on = tpu::find_chip("v2");
  CHECK_THROWS_AS(static_cast<void>(tpu::model_vector(on, {.elements = 0})), rp::shape_error);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(static_cast<void>(tpu::model_vector(on, {.elements = 1, .flop_per_element = nan})), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(tpu::model_vector(on, {.elements = 1, .bytes_read = -1})), rp::value_error);
}
