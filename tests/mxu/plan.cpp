// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/plan.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/reference/reference.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace tpu = ridgepoint::tpu;
using rp::index_t;

namespace {

const tpu::chip& v2 = tpu::find_chip("v2");

rp::gemm_args<float> product(index_t m, index_t k, index_t n) {
  return {.a = {nullptr, m, k}, .b = {nullptr, k, n}, .c = {nullptr, m, n}};
}

/// Checks every op: a time and a bound that match, no roof exceeded.
void check_sane(const tpu::modelled_op& op) {
  CAPTURE(op.name);
  CHECK(op.elapsed_s > 0);
  CHECK(op.elapsed_s >= op.least_s());
  CHECK((op.utilisation >= 0 && op.utilisation <= 1));
  if (op.least_s() > 0) CHECK(static_cast<double>(op.receipt.flop) / op.elapsed_s <= op.roof_flop_per_s * (1 + 1e-12));
}

}  // namespace

TEST_CASE("gemm equals model_matmul of its extents, and nothing runs") {
  const tpu::modelled_op op = modelled(v2, product(8192, 8192, 16384));
  CHECK(op.elapsed_s == tpu::model_matmul(v2, {.m = 8192, .k = 8192, .n = 16384}).elapsed_s);
  CHECK(op.bound == tpu::bound::mxu);
  const rp::mxu on(rp::reference, v2);
  CHECK(rp::modelled(on, product(8192, 8192, 16384)).elapsed_s == op.elapsed_s);
}

TEST_CASE("a transposed operand takes the same time, an empty one none") {
  auto turned = product(64, 256, 128);
  turned.a = rp::matrix_view<const float>(nullptr, 256, 64).transposed();
  CHECK(modelled(v2, turned).elapsed_s == modelled(v2, product(64, 256, 128)).elapsed_s);
  for (const auto& g : {product(0, 4, 4), product(4, 0, 4), product(4, 4, 0)}) CHECK(modelled(v2, g).elapsed_s == 0);
}

// The array keeps A instead of B if that saves more than 1 %, so a larger product may be up to 1 % faster.
TEST_CASE("products: valid, and never faster for more rows, depth or columns") {
  rp::random_stream random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const auto extent = [&] { return index_t{1} << random.below(13); };
    const index_t m = extent(), k = extent(), n = extent();
    const tpu::modelled_op op = modelled(v2, product(m, k, n));
    check_sane(op);
    for (const auto& more : {product(2 * m, k, n), product(m, 2 * k, n), product(m, k, 2 * n)})
      CHECK(modelled(v2, more).elapsed_s >= 0.99 * op.elapsed_s);
  }
}

TEST_CASE("dense: activations in the array's format, variables and their gradients in fp32") {
  const index_t n = 128, in = 512, out = 256;
  const float bias = 0;
  float db = 0;
  const auto forward = modelled(v2, rp::dense_args<float>{.x = {nullptr, n, in},
                                                          .w = {nullptr, in, out},
                                                          .bias = &bias,
                                                          .y = {nullptr, n, out},
                                                          .act = rp::activation::relu});
  check_sane(forward);
  CHECK(forward.bytes == 2 * n * in + 4 * in * out + 2 * n * out);
  CHECK(forward.receipt.flop == 2 * n * in * out + 2 * n * out);  // a bias and a comparison per result
  const auto data = modelled(v2, rp::dense_backward_data_args<float>{
                                     .dy = {nullptr, n, out}, .w = {nullptr, in, out}, .dx = {nullptr, n, in}});
  CHECK(data.bytes == forward.bytes);
  CHECK(data.pass == rp::pass::backward_data);
  const auto weights =
      modelled(v2, rp::dense_backward_weights_args<float>{
                       .x = {nullptr, n, in}, .dy = {nullptr, n, out}, .dw = {nullptr, in, out}, .db = &db});
  CHECK(weights.bytes == forward.bytes);
  CHECK(weights.receipt.matrix_flop == forward.receipt.matrix_flop);
}

TEST_CASE("TPU v1 stores weights in 8 bits and waits for them") {
  const auto op =
      modelled(tpu::find_chip("v1"),
               rp::dense_args<float>{.x = {nullptr, 200, 2048}, .w = {nullptr, 2048, 2048}, .y = {nullptr, 200, 2048}});
  CHECK(op.bound == tpu::bound::weight_fetch);
}

TEST_CASE("an update moves every variable, gradient and moment once, in fp32") {
  const rp::adam_update_args<float> adam{.size = 1'000'000};
  const auto op = modelled(v2, adam);
  check_sane(op);
  CHECK(op.bytes == 28'000'000);
  CHECK(op.bound == tpu::bound::hbm);
  CHECK(op.pass == rp::pass::update);
  const auto sgd = modelled(v2, rp::sgd_update_args<float>{.size = 1'000'000});
  CHECK(sgd.bytes == 12'000'000);
  CHECK(modelled(v2, rp::advance_args{}).elapsed_s == 0);
}

TEST_CASE("elementwise ops move activations in the array's format") {
  const auto op = modelled(v2, rp::add_args<float>{.size = 1 << 20});
  check_sane(op);
  CHECK(op.bytes == 3 * 2 * (1 << 20));
  CHECK(op.receipt.flop == 1 << 20);
  CHECK(modelled(v2, rp::activate_args<float>{.f = rp::activation::tanh, .size = 1 << 20}).receipt.special == 1 << 20);
}

TEST_CASE("convolutions use the convolution model, depthwise ones the vector unit") {
  const rp::conv2d_geometry g{.n = 8, .h = 28, .w = 28, .c = 64, .f = 128, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}};
  CHECK(modelled(v2, rp::conv2d_args<float>{.geometry = g}).elapsed_s ==
        tpu::model_conv2d(v2, g, rp::pass::forward).elapsed_s);
  CHECK(modelled(v2, rp::conv2d_backward_data_args<float>{.geometry = g}).pass == rp::pass::backward_data);
  CHECK(modelled(v2, rp::conv2d_backward_weights_args<float>{.geometry = g}).pass == rp::pass::backward_weights);
  const rp::depthwise_geometry d{.n = 8, .h = 28, .w = 28, .c = 64, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}};
  const auto op = modelled(v2, rp::depthwise_conv2d_args<float>{.geometry = d});
  check_sane(op);
  CHECK(op.mxu_s == 0);
  CHECK(modelled(v2, rp::conv2d_args<float>{.geometry = {.n = 0}}).elapsed_s == 0);
}

TEST_CASE("a recurrent layer is one repetition per step") {
  const auto lstm = [](index_t steps, index_t n, index_t in, index_t units) {
    rp::lstm_args<float> a;
    a.operands.x = rp::sequence_view<const float>::time_major(nullptr, steps, n, in);
    a.operands.y = rp::sequence_view<float>::time_major(nullptr, steps, n, units);
    return a;
  };
  const auto op = modelled(v2, lstm(28, 128, 256, 512));
  check_sane(op);
  CHECK(op.repeat == 28);
  CHECK(op.repeat * op.receipt.matrix_flop == receipt(lstm(28, 128, 256, 512)).matrix_flop);
  CHECK(modelled(v2, lstm(56, 128, 256, 512)).total_s() == near(2 * op.total_s()));
  // A product, and 11 ops: x, the joined operand and its stack, four gates, the cell, the result, two for the counter.
  CHECK(op.overhead_s == near(12 * v2.fit.op_latency_s));
  rp::rnn_args<float> plain;
  plain.operands.x = lstm(28, 128, 256, 512).operands.x, plain.operands.y = lstm(28, 128, 256, 512).operands.y;
  CHECK(modelled(v2, plain).overhead_s == near(8 * v2.fit.op_latency_s));
  rp::lstm_backward_args<float> back;
  back.operands.x = lstm(28, 128, 256, 512).operands.x;
  back.operands.y = rp::sequence_view<const float>::time_major(nullptr, 28, 128, 512);
  const auto without_dx = modelled(v2, back);
  check_sane(without_dx);
  CHECK(without_dx.repeat * without_dx.receipt.matrix_flop == receipt(back).matrix_flop);
  float dx = 0;
  back.operands.dx = rp::sequence_view<float>::time_major(&dx, 28, 128, 256);
  CHECK(modelled(v2, back).repeat * modelled(v2, back).receipt.matrix_flop == receipt(back).matrix_flop);
  CHECK(modelled(v2, back).elapsed_s >= without_dx.elapsed_s);
  CHECK(modelled(v2, lstm(28, 0, 256, 512)).elapsed_s == 0);
}

TEST_CASE("a step with a projected state adds one product forward and two backward") {
  rp::projected_lstm_args<float> a;
  a.operands.x = rp::sequence_view<const float>::time_major(nullptr, 28, 128, 256);
  a.operands.y = rp::sequence_view<float>::time_major(nullptr, 28, 128, 192);
  a.units = 512;
  const auto op = modelled(v2, a);
  check_sane(op);
  CHECK(op.repeat * op.receipt.matrix_flop == receipt(a).matrix_flop);
  rp::projected_lstm_backward_args<float> back;
  back.operands.x = a.operands.x;
  back.operands.y = rp::sequence_view<const float>::time_major(nullptr, 28, 128, 192);
  back.units = 512;
  check_sane(modelled(v2, back));
  CHECK(modelled(v2, back).repeat * modelled(v2, back).receipt.matrix_flop == receipt(back).matrix_flop);
  a.operands.x.batch = a.operands.y.batch = 0;
  CHECK(modelled(v2, a).elapsed_s == 0);
}

TEST_CASE("a batch of products repeats one product") {
  const auto one = product(64, 64, 64);
  const auto op = modelled(v2, rp::gemm_batched_args<float>{.first = one, .count = 5});
  CHECK(op.repeat == 5);
  CHECK(op.total_s() == near(5 * modelled(v2, one).elapsed_s));
}
