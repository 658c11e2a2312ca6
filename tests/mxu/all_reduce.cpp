// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/memory.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/mxu/chips.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace tpu = ridgepoint::tpu;

TEST_CASE("all-reduce: latency per tensor and 8 bytes per value, as fitted") {
  const tpu::chip& on = tpu::find_chip("v2");
  const tpu::modelled_op op = tpu::model_all_reduce(on, 8192 * 8192, 1, 8);
  CHECK(op.elapsed_s == near(on.fit.all_reduce_latency_s + 8.0 * 8192 * 8192 / on.fit.all_reduce_bytes_per_s));
  CHECK(op.elapsed_s == near(5565e-6, 0.03));  // the traces' time for one such layer
  CHECK(op.bound == tpu::bound::ici);
  CHECK(op.receipt.flop_per_byte() == 0.125);
  CHECK(tpu::model_all_reduce(on, 1000, 10, 8).elapsed_s > tpu::model_all_reduce(on, 1000, 1, 8).elapsed_s);
  CHECK(tpu::model_all_reduce(on, 1000, 1, 1).elapsed_s == 0);
}

TEST_CASE("all-reduce: fewer cores move fewer bytes") {
  const tpu::chip& on = tpu::find_chip("v2");
  double before = 0;
  for (const rp::index_t cores : {1, 2, 4, 8}) {
    const double now = tpu::model_all_reduce(on, 1 << 24, 1, cores).elapsed_s;
    CHECK(now > before - 1e-15);
    before = now;
  }
}

TEST_CASE("all-reduce: on a torus, 2(p - 1)/p of the bytes over the links") {
  CHECK(tpu::torus_all_reduce_s(1e9, 4, 2, 62e9) == near(1.5e9 / 124e9));
  CHECK(tpu::torus_all_reduce_s(1e9, 1, 2, 62e9) == 0);
  CHECK_THROWS_AS(static_cast<void>(tpu::torus_all_reduce_s(1, 0, 2, 1)), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(tpu::torus_all_reduce_s(1, 4, 2, 0)), rp::value_error);
  tpu::chip on = tpu::find_chip("v2");
  const double fitted = tpu::model_all_reduce(on, 1 << 26, 1, 8).elapsed_s;
  on.fit.all_reduce_bytes_per_s = 0;  // uses links and memory instead: within 10 % of the fitted rate
  CHECK(tpu::model_all_reduce(on, 1 << 26, 1, 8).elapsed_s == near(fitted, 0.12));
}

TEST_CASE("all-reduce: a chip with one participating core counts as one in the torus") {
  tpu::chip on = tpu::find_chip("v2");
  on.fit.all_reduce_bytes_per_s = 0;
  for (const rp::index_t cores : {2, 3, 5, 8}) {
    const double between =
        tpu::torus_all_reduce_s(4.0 * (1 << 20), (cores + 1) / 2, on.ici_links / 2, on.ici_bytes_per_s);
    CHECK(tpu::model_all_reduce(on, 1 << 20, 1, cores).ici_s == near(between));
  }
}

TEST_CASE("all-reduce: invalid arguments throw typed errors") {
  const tpu::chip& on = tpu::find_chip("v2");
  CHECK_THROWS_AS(static_cast<void>(tpu::model_all_reduce(on, 0, 1, 8)), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(tpu::model_all_reduce(on, 10, 1, 9)), rp::value_error);
}
