// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/convolution.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/mxu/chips.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace tpu = ridgepoint::tpu;
using rp::pass;

namespace {
constexpr rp::conv2d_geometry stem{
    .n = 128, .h = 224, .w = 224, .c = 3, .f = 64, .kh = 7, .kw = 7, .stride = 2, .padding = {3, 3, 3, 3}};
constexpr rp::conv2d_geometry middle{
    .n = 128, .h = 14, .w = 14, .c = 256, .f = 256, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}};
constexpr pass passes[] = {pass::forward, pass::backward_data, pass::backward_weights};
}  // namespace

TEST_CASE("conv2d: an implicit im2col product that keeps the cheapest operand") {
  const tpu::chip& on = tpu::find_chip("v2");
  const rp::index_t pixels = 128 * 14 * 14;
  const auto product_s = [&](rp::index_t m, rp::index_t k, rp::index_t n) {
    return tpu::model_matmul(on, {.m = m, .k = k, .n = n}).array_s();
  };
  CHECK(tpu::model_conv2d(on, middle, pass::forward).array_s() == product_s(pixels, 9 * 256, 256));
  CHECK(tpu::model_conv2d(on, middle, pass::backward_data).array_s() == product_s(pixels, 9 * 256, 256));
  CHECK(tpu::model_conv2d(on, middle, pass::backward_weights).array_s() == product_s(9 * 256, pixels, 256));
}

TEST_CASE("conv2d: the stem uses 21 rows of its seven tiles and half of their columns") {
  const tpu::chip& on = tpu::find_chip("v2");
  const tpu::modelled_op op = tpu::model_conv2d(on, stem, pass::forward);
  const double used = static_cast<double>(op.receipt.flop) / (op.array_s() * on.peak_flop_per_s());
  CHECK(used == near(147.0 / (7 * 128) * 64 / 128, 0.01));
}

TEST_CASE("conv2d: taps share the array's rows only along a row of the window") {
  const tpu::chip& on = tpu::find_chip("v2");
  const auto depth = [&](rp::index_t kh, rp::index_t kw, rp::index_t channels) {
    return tpu::detail::depth_of_window(on, kh, kw, channels);
  };
  CHECK(depth(3, 3, 16) == 3 * 128);      // 48 rows of three tiles, not 144 of two
  CHECK(depth(3, 3, 48) == 3 * 2 * 128);  // two taps, then one
  CHECK(depth(3, 3, 100) == 9 * 128);
  CHECK(depth(3, 3, 256) == 9 * 256);
  CHECK(depth(1, 1, 200) == 256);
  const tpu::chip& v1 = tpu::find_chip("v1");  // streams the patches of im2col
  CHECK(tpu::detail::depth_of_window(v1, 3, 3, 16) == 144);
  rp::conv2d_geometry narrow = middle;
  narrow.c = 16;
  const double array_s = tpu::model_matmul(on, {.m = 128 * 14 * 14, .k = 3 * 128, .n = 256}).array_s();
  CHECK(tpu::model_conv2d(on, narrow, pass::forward).array_s() == array_s);
}

TEST_CASE("conv2d in groups: the products of its groups in sequence, and the receipt of the op") {
  const tpu::chip& on = tpu::find_chip("v2");
  rp::conv2d_geometry grouped = middle, one = middle;
  grouped.groups = 4, one.c = one.f = middle.c / 4;
  for (const pass p : passes) {
    const tpu::modelled_op all = tpu::model_conv2d(on, grouped, p), group = tpu::model_conv2d(on, one, p);
    CHECK(all.array_s() == near(4 * group.array_s(), 1e-12));
    CHECK(all.receipt.matrix_flop == 4 * group.receipt.matrix_flop);
    CHECK(all.receipt.bytes.total() == 4 * group.receipt.bytes.total());
    CHECK(all.elapsed_s >= all.least_s());
  }
}

TEST_CASE("conv2d: dx of a strided convolution does not multiply the zeros between outputs") {
  const tpu::chip& on = tpu::find_chip("v2");
  const rp::conv2d_geometry strided{
      .n = 128, .h = 28, .w = 28, .c = 256, .f = 256, .kh = 3, .kw = 3, .stride = 2, .padding = {1, 1, 1, 1}};
  const double forward = tpu::model_conv2d(on, strided, pass::forward).array_s();
  CHECK(tpu::model_conv2d(on, strided, pass::backward_data).array_s() == near(forward, 0.05));
  rp::conv2d_geometry one = strided;  // a 1x1 filter reads every fourth pixel only
  one.kh = one.kw = 1, one.padding = {};
  CHECK(tpu::model_conv2d(on, one, pass::backward_data).array_s() ==
        near(tpu::model_conv2d(on, one, pass::forward).array_s(), 0.05));
}

TEST_CASE("conv2d: receipts match the op, times respect the roofs, larger batches are never faster") {
  for (const char* chip : {"v2", "v3", "v3-spec"})
    for (const pass p : passes)
      for (rp::conv2d_geometry g : {stem, middle}) {
        const tpu::chip& on = tpu::find_chip(chip);
        double before = 0;
        for (const rp::index_t n : {1, 8, 32, 128}) {
          g.n = n;
          const tpu::modelled_op op = tpu::model_conv2d(on, g, p);
          CHECK(op.receipt.matrix_flop == 2 * static_cast<std::uint64_t>(g.macs()));
          CHECK(op.utilisation <= 1);
          CHECK(op.elapsed_s >= op.least_s());
          CHECK(op.elapsed_s >= 0.99 * before);
          CHECK(op.bytes >= op.receipt.bytes.total());
          before = op.elapsed_s;
        }
      }
}

TEST_CASE("depthwise: on the vector unit, 2 FLOP per tap") {
  const tpu::chip& on = tpu::find_chip("v2");
  const rp::conv2d_geometry g{.n = 32, .h = 28, .w = 28, .c = 256, .f = 256, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}};
  for (const pass p : passes) {
    const tpu::modelled_op op = tpu::model_depthwise(on, g, p);
    CHECK(op.receipt.flop == 2ULL * 9 * 32 * 28 * 28 * 256);
    CHECK(op.array_s() == 0);
    CHECK(op.vpu_s > 0);
    CHECK(op.elapsed_s >= op.least_s());
  }
  rp::conv2d_geometry uneven = g;
  uneven.f = 300;
  CHECK_THROWS_AS(static_cast<void>(tpu::model_depthwise(on, uneven, pass::forward)), rp::shape_error);
}

TEST_CASE("conv2d: a residual is read and added") {
  const tpu::chip& on = tpu::find_chip("v2");
  const tpu::modelled_op plain = tpu::model_conv2d(on, middle, pass::forward),
                         sum = tpu::model_conv2d(on, middle, pass::forward, {.residual = 2});
  const auto outputs = static_cast<std::uint64_t>(middle.output_size());
  CHECK(sum.receipt.flop == plain.receipt.flop + outputs);
  CHECK(sum.receipt.bytes.inputs == plain.receipt.bytes.inputs + 2 * outputs);
  CHECK(sum.bytes > plain.bytes);
}

TEST_CASE("conv2d: invalid geometries and passes throw typed errors") {
  const tpu::chip& on = tpu::find_chip("v2");
  rp::conv2d_geometry empty = middle;
  empty.n = 0;
  CHECK_THROWS_AS(static_cast<void>(tpu::model_conv2d(on, empty, pass::forward)), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(tpu::model_conv2d(on, middle, pass::update)), rp::value_error);
  rp::conv2d_geometry large = middle;
  large.kh = 99;
  CHECK_THROWS_AS(static_cast<void>(tpu::model_conv2d(on, large, pass::forward)), rp::shape_error);
}
