// SPDX-License-Identifier: MIT
#include <ridgepoint/gpu/plan.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/gpu/platform.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace gpu = ridgepoint::gpu;
using gpu::number_format;
using rp::index_t;

namespace {

float any = 0;  // address of present operands

gpu::platform v100(const char* software, number_format in) {
  return {gpu::find_chip("v100"), gpu::find_software(software), in};
}
rp::dense_args<float> dense(index_t batch, index_t in, index_t out) {
  return {.x = {nullptr, batch, in},
          .w = {nullptr, in, out},
          .bias = &any,
          .y = {nullptr, batch, out},
          .act = rp::activation::relu};
}

}  // namespace

TEST_CASE("gpu plan: a dense layer in fp32 is one kernel with fusing software, otherwise one per operation") {
  const auto fused = modelled(v100("recorded", number_format::f32), dense(256, 1024, 512));
  CHECK(fused.kernels == 1);
  CHECK(fused.dispatches == 1);
  CHECK(fused.receipt == receipt(dense(256, 1024, 512)));
  CHECK(fused.bytes == static_cast<double>(fused.receipt.bytes.total()));
  const auto separate = modelled(v100("tensorflow", number_format::f32), dense(256, 1024, 512));
  CHECK(separate.kernels == 3);  // product, bias, ReLU
  CHECK(separate.dispatches == 3);
  CHECK(separate.bytes == fused.bytes + 2 * 2 * 4 * 256 * 512);
  CHECK(separate.elapsed_s > fused.elapsed_s);
}

TEST_CASE("gpu plan: 16-bit products use copies of fp32 weights, and produce fp32 copies of their gradients") {
  const auto p = v100("tensorflow", number_format::f16);
  const auto forward = modelled(p, dense(256, 1024, 512));
  CHECK(forward.kernels == 5);  // product, bias, ReLU, copies of weights and bias
  const double activations = 2 * (256 * 1024 + 256 * 512), weights = 1024 * 512 + 512;
  CHECK(forward.bytes == near(activations + 2 * weights + 2 * 2 * 2 * 256 * 512 + 6 * weights));
  CHECK(forward.receipt.bytes.total() == static_cast<std::uint64_t>(activations + 2 * weights));
  const auto back =
      modelled(p, rp::dense_backward_weights_args<float>{
                      .x = {nullptr, 256, 1024}, .dy = {nullptr, 256, 512}, .dw = {nullptr, 1024, 512}, .db = &any});
  CHECK(back.kernels == 4);  // product, sum of dy, copies
  CHECK(back.bytes == near(activations + 2 * weights + 2 * 256 * 512 + 6 * weights));
}

TEST_CASE("gpu plan: fusing software writes a gradient of weights directly in fp32") {
  const rp::dense_backward_weights_args<float> args{
      .x = {nullptr, 256, 1024}, .dy = {nullptr, 256, 512}, .dw = {nullptr, 1024, 512}, .db = &any};
  const auto op = modelled(v100("recorded", number_format::f16), args);
  CHECK(op.kernels == 1);
  CHECK(op.bytes == near(2 * (256 * 1024 + 256 * 512) + 4 * (1024 * 512 + 512)));
}

TEST_CASE("gpu plan: TensorFlow's RMSProp moves 40 bytes per parameter, a fused one 28") {
  const rp::rmsprop_tf1_update_args<float> update{.size = 1 << 20, .w = &any, .g = &any};
  CHECK(modelled(v100("tensorflow", number_format::f16), update).bytes == near(40.0 * (1 << 20)));
  CHECK(modelled(v100("tensorflow", number_format::f16), update).kernels == 2 * 3);
  const auto fused = modelled(v100("recorded", number_format::f16), update);
  CHECK(fused.bytes == 30.0 * (1 << 20));  // including a copy in 16 bits
  CHECK(fused.kernels == 1);
  CHECK(fused.bound == gpu::bound::memory);
}

TEST_CASE("gpu plan: bounds of an op") {
  const auto p = v100("recorded", number_format::f16);
  const auto large = modelled(p, dense(8192, 8192, 8192));
  CHECK(large.bound == gpu::bound::product);
  CHECK(large.utilisation > 0.6);
  CHECK(large.utilisation <= 1);
  CHECK(large.elapsed_s >= large.least_s);
  CHECK(modelled(p, dense(1, 32, 32)).bound == gpu::bound::launch);
  CHECK(modelled(p, dense(1, 8192, 8192)).bound == gpu::bound::memory);
  const rp::add_args<float> sum{.size = 1 << 26, .a = &any, .b = &any, .y = &any};
  CHECK(modelled(p, sum).bound == gpu::bound::memory);
  CHECK(modelled(p, sum).least_s == near(2.0 * 3 * (1 << 26) / 900e9));
  CHECK(modelled(p, rp::advance_args{}).elapsed_s == 0);
}

TEST_CASE("gpu plan: convolutions are products over patches; the dx of a strided one is split by position") {
  const rp::conv2d_geometry g{
      .n = 8, .h = 56, .w = 56, .c = 64, .f = 128, .kh = 3, .kw = 3, .stride = 2, .padding = {0, 1, 0, 1}};
  using gpu::product, gpu::products;
  CHECK(products(rp::conv2d_args<float>{.geometry = g}) == std::vector{product{8 * 28 * 28, 128, 9 * 64}});
  CHECK(products(rp::conv2d_backward_weights_args<float>{.geometry = g}) ==
        std::vector{product{9 * 64, 128, 8 * 28 * 28}});
  CHECK(products(rp::conv2d_backward_data_args<float>{.geometry = g}) ==
        std::vector{product{8 * 28 * 28, 64, 4 * 128, 4}});
  const auto op = modelled(v100("recorded", number_format::f32), rp::conv2d_args<float>{.geometry = g});
  CHECK(op.receipt.matrix_flop == 2 * static_cast<std::uint64_t>(g.macs()));
  CHECK(op.utilisation <= 1);
}

TEST_CASE("gpu plan: a recurrent layer as a loop dispatches ops for each step, as a library's op one kernel") {
  rp::lstm_args<float> a;
  a.operands.x = {&any, 40, 128, 57, 128 * 57, 57};
  a.operands.y = {&any, 40, 128, 128, 128 * 128, 128};
  const auto library = modelled(v100("keras", number_format::f32), a),
             loop = modelled(v100("keras-loops", number_format::f32), a);
  CHECK(library.dispatches == 1);
  CHECK(library.kernels == 41);  // x of all steps, then the state of each
  CHECK(loop.dispatches == 1 + 40 * gpu::find_software("keras-loops").turn_ops);
  CHECK(loop.elapsed_s > 5 * library.elapsed_s);
  CHECK(gpu::products(a) == std::vector{gpu::product{40 * 128, 512, 57}, gpu::product{128, 512, 128, 1, 40}});
}
