// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/matmul.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/mxu/chips.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace tpu = ridgepoint::tpu;
using tpu::bound;

TEST_CASE("layout: the cheaper of two paddings to 8 x 128") {
  CHECK(tpu::padded_elements(64, 1000) == 64 * 1024);
  CHECK(tpu::padded_elements(128, 1000) == 128 * 1000);
  CHECK(tpu::padded_elements(1, 1) == 1024);
  CHECK(tpu::padded_elements(3, 128) == 8 * 128);
  for (rp::index_t rows = 1; rows < 300; rows += 7)
    for (rp::index_t cols = 1; cols < 300; cols += 11) {
      CHECK(tpu::padded_elements(rows, cols) >= rows * cols);
      CHECK(tpu::padded_elements(rows, cols) == tpu::padded_elements(cols, rows));
    }
}

TEST_CASE("vmem: an operand that fits is read once, otherwise once per block of results") {
  constexpr std::uint64_t vmem = 16 << 20;
  CHECK(tpu::block_for_vmem(vmem, 128, 8192, 2e6, 268e6) == tpu::operand_reads{1, 1});
  CHECK(tpu::block_for_vmem(vmem, 2048, 8192, 33.6e6, 268e6) == tpu::operand_reads{8, 1});
  CHECK(tpu::block_for_vmem(vmem, 8192, 2048, 268e6, 33.6e6) == tpu::operand_reads{1, 8});
  CHECK(tpu::block_for_vmem(0, 1, 1, 2, 2) == tpu::operand_reads{1, 1});
  CHECK_THROWS_AS(static_cast<void>(tpu::block_for_vmem(vmem, 1, 0, 2, 2)), rp::shape_error);
  tpu::chip narrow = tpu::find_chip("v1");
  narrow.operand_bytes = 0;
  CHECK_THROWS_WITH_AS(static_cast<void>(tpu::model_matmul(narrow, {.m = 8, .k = 8, .n = 8})),
                       "chip: operand_bytes is 0; must be > 0", rp::value_error);
}

TEST_CASE("matmul: the measured 96 ms of a bf16 product on one TPU v2 core") {
  const tpu::modelled_op op = tpu::model_matmul(tpu::find_chip("v2"), {.m = 8192, .k = 8192, .n = 16384});
  CHECK(op.elapsed_s == near(96e-3, 0.02));
  CHECK(op.bound == bound::mxu);
  CHECK(op.receipt.matrix_flop == 2ULL * 8192 * 8192 * 16384);
}

TEST_CASE("matmul: the shape decides the bound") {
  const tpu::chip &v1 = tpu::find_chip("v1"), &v2 = tpu::find_chip("v2");
  const auto bound_of = [](const tpu::chip& on, const tpu::matmul_geometry& g) {
    return tpu::model_matmul(on, g).bound;
  };
  CHECK(bound_of(v2, {.m = 4096, .k = 4096, .n = 4096}) == bound::mxu);
  CHECK(bound_of(v2, {.m = 8, .k = 4096, .n = 4096, .b_bytes = 4}) == bound::hbm);
  CHECK(bound_of(v2, {.m = 32, .k = 128, .n = 128}) == bound::fill);
  CHECK(bound_of(v1, {.m = 200, .k = 2048, .n = 2048, .a_bytes = 1, .b_bytes = 1, .c_bytes = 1}) ==
        bound::weight_fetch);
  CHECK(bound_of(v1, {.m = 4096, .k = 2048, .n = 2048, .a_bytes = 1, .b_bytes = 1, .c_bytes = 1}) == bound::mxu);
}

TEST_CASE("matmul: fewer rows than the array has use at most M/R of it") {
  const tpu::chip& on = tpu::find_chip("v2");
  for (const rp::index_t m : {8, 16, 32, 64}) {
    const tpu::modelled_op op = tpu::model_matmul(on, {.m = m, .k = 8192, .n = 8192});
    const double most = static_cast<double>(m) / 128;
    CHECK(static_cast<double>(op.receipt.flop) / op.array_s() <= most * on.peak_flop_per_s() * 1.0001);
  }
}

TEST_CASE("matmul: TPU v1 multiplies 16-bit activations at half speed, 16 x 16 bits at a quarter") {
  const tpu::chip& on = tpu::find_chip("v1");
  const auto rows_s = [&](rp::index_t a, rp::index_t b) {
    return tpu::model_matmul(on, {.m = 4096, .k = 512, .n = 512, .a_bytes = a, .b_bytes = b, .c_bytes = 1}).mxu_s;
  };
  CHECK(rows_s(2, 1) == near(2 * rows_s(1, 1)));
  CHECK(rows_s(2, 2) == near(4 * rows_s(1, 1)));
}

TEST_CASE("matmul: times respect the roofs and grow with every extent; two arrays share the work") {
  for (const tpu::chip& on : tpu::published_chips()) {
    CAPTURE(on.name);
    for (const rp::index_t k : {1, 100, 1000, 8192})
      for (const rp::index_t n : {1, 130, 4096}) {
        double before = 0;
        for (const rp::index_t m : {1, 7, 64, 129, 1000, 16384}) {
          const tpu::modelled_op op = tpu::model_matmul(on, {.m = m, .k = k, .n = n, .b_bytes = on.operand_bytes});
          CHECK(op.elapsed_s >= 0.99 * before);  // an operand is kept only if it saves more than 1 %
          CHECK(op.utilisation <= 1);
          CHECK(op.utilisation > 0);
          CHECK(op.elapsed_s >= op.least_s());
          CHECK(op.roof_flop_per_s <= on.peak_flop_per_s() * (1 + 1e-12));
          before = op.elapsed_s;
        }
      }
  }
  tpu::chip one = tpu::find_chip("v3"), two = one;
  one.mxus_per_core = 1;
  for (const rp::index_t n : {128, 4096}) {
    const tpu::matmul_geometry g{.m = 65536, .k = 512, .n = n};
    CHECK(tpu::model_matmul(two, g).array_s() == near(tpu::model_matmul(one, g).array_s() / 2, 0.02));
  }
}

TEST_CASE("matmul: a fused epilogue costs only its extra operands") {
  const tpu::chip& on = tpu::find_chip("v2");
  tpu::modelled_op op = tpu::model_matmul(on, {.m = 32, .k = 4096, .n = 4096, .b_bytes = 4});
  const tpu::modelled_op bare = op;
  fuse(on, op, {.flop = 32 * 4096}, 2 * 32 * 4096);
  CHECK(op.bytes == bare.bytes + 2 * 32 * 4096);
  CHECK(op.receipt.flop == bare.receipt.flop + 32 * 4096);
  CHECK(op.elapsed_s > bare.elapsed_s);
  CHECK(op.elapsed_s < bare.elapsed_s + on.fit.op_latency_s);
}

TEST_CASE("matmul: invalid geometry throws a typed error") {
  const tpu::chip& on = tpu::find_chip("v2");
  CHECK_THROWS_AS(static_cast<void>(tpu::model_matmul(on, {.m = 0, .k = 1, .n = 1})), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(tpu::model_matmul(on, {.m = -8, .k = 1, .n = 1})), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(tpu::model_matmul(on, {.m = 8, .k = 8, .n = 8, .a_bytes = 0})), rp::value_error);
  const rp::index_t huge = rp::index_t{1} << 40;
  CHECK_THROWS_AS(static_cast<void>(tpu::model_matmul(on, {.m = huge, .k = huge, .n = huge})), rp::shape_error);
}
