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

TEST_CASE("gpu plan: 3x3 convolutions of stride 1 in fp32 multiply 2.25 times less by Winograd's algorithm") {
  rp::conv2d_geometry g{.n = 32, .h = 56, .w = 56, .c = 128, .f = 128, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}};
  const auto product_s = [&](number_format in) {
    return modelled(v100("recorded", in), rp::conv2d_args<float>{.geometry = g}).product_s;
  };
  const auto by_tiles = [&](number_format in) {
    return gpu::best_tiling(v100("recorded", in), {g.n * g.oh() * g.ow(), g.f, 9 * g.c}).product_s;
  };
  CHECK(product_s(number_format::f32) == near(by_tiles(number_format::f32) / 2.25));
  CHECK(product_s(number_format::f16) == near(by_tiles(number_format::f16)));
  g.stride = 2;
  CHECK(product_s(number_format::f32) == near(by_tiles(number_format::f32)));
}

TEST_CASE("gpu plan: software of 2017 copies a convolution's images to another order of extents") {
  const rp::conv2d_geometry g{.n = 8, .h = 14, .w = 14, .c = 64, .f = 32, .kh = 1, .kw = 1};
  const auto bytes = [&](const char* software, number_format in) {
    return modelled(v100(software, in), rp::conv2d_args<float>{.geometry = g}).bytes;
  };
  const double images = 8 * 14 * 14 * (64 + 32), weights = 64 * 32;
  CHECK(bytes("recorded", number_format::f16) == near(2 * (images + weights)));
  CHECK(bytes("tensorflow", number_format::f16) == near(2 * (images + weights) + 2 * 2 * images + 6 * weights));
  CHECK(bytes("tensorflow", number_format::f32) == near(4 * (images + weights)));
  CHECK(bytes("keras", number_format::f32) == near(4 * (images + weights) + 2 * 4 * images));
  const rp::max_pool2d_args<float> pool{.geometry = {.n = 8, .h = 14, .w = 14, .c = 64, .kh = 2, .kw = 2, .stride = 2}};
  CHECK(modelled(v100("keras", number_format::f32), pool).bytes ==
        modelled(v100("tensorflow", number_format::f32), pool).bytes);
}

TEST_CASE("gpu plan: separate kernels of batch normalisation read x again for the result, x and dy for the gradient") {
  const rp::batch_norm_args<float> forward{
      .rows = 4096, .channels = 64, .x = &any, .gamma = &any, .beta = &any, .y = &any, .mean = &any, .inverse = &any};
  const rp::batch_norm_backward_args<float> back{.rows = 4096,
                                                 .channels = 64,
                                                 .x = &any,
                                                 .gamma = &any,
                                                 .mean = &any,
                                                 .inverse = &any,
                                                 .dy = &any,
                                                 .dx = &any,
                                                 .dgamma = &any,
                                                 .dbeta = &any};
  const auto more = [](const auto& args) {
    return modelled(v100("tensorflow", number_format::f32), args).bytes -
           modelled(v100("recorded", number_format::f32), args).bytes;
  };
  CHECK(more(forward) == near(4.0 * 4096 * 64));
  CHECK(more(back) == near(2 * 4.0 * 4096 * 64));
}

TEST_CASE("gpu plan: a step of a plain recurrent layer has fewer ops than one of an LSTM") {
  rp::rnn_args<float> a;
  a.operands.x = {&any, 40, 128, 57, 128 * 57, 57};
  a.operands.y = {&any, 40, 128, 128, 128 * 128, 128};
  const gpu::software& keras = gpu::find_software("keras-loops");
  CHECK(modelled(v100("keras-loops", number_format::f32), a).dispatches == 1 + 40 * keras.plain_turn_ops);
  CHECK(keras.plain_turn_ops < keras.turn_ops);
  CHECK(gpu::find_software("tensorflow").turn_ops < keras.turn_ops);
}
