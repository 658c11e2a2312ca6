// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/cpu/past_caches.hpp>

#include <cstring>
#include <vector>

#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/cpu/conv2d.hpp>
#include <ridgepoint/cpu/depthwise_conv2d.hpp>
#include <ridgepoint/cpu/embedding.hpp>
#include <ridgepoint/cpu/gemm.hpp>

#include "support/cpu_copies.hpp"

namespace rp = ridgepoint;
using rp::index_t;

namespace {
constexpr bool tiles_can =
    rp::kernels::panel_width<float>(rp::kernels::native_unit) % rp::kernels::line_elements<float> == 0;

/// Returns a number of floats above the cacheable size; fewer if tiles never use non-temporal stores.
index_t too_many() { return tiles_can ? static_cast<index_t>(rp::cacheable_bytes() / sizeof(float)) + 1 : 5000; }

std::vector<float> values(index_t size) {
  std::vector<float> x(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 101) / 16 - 3;
  return x;
}

/// Checks that run(to) writes the same bits for line-aligned and misaligned `to`, with non-temporal or cached stores.
template <class Run>
void writes_the_same(index_t size, const Run& run) {
  const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(float);
  const rp::host_buffer streamed(bytes), other(bytes + sizeof(float));
  std::memset(streamed.data(), 0xff, bytes), std::memset(other.data(), 0xff, other.size_bytes());
  float* const misaligned = static_cast<float*>(other.data()) + 1;
  run(static_cast<float*>(streamed.data()));
  run(misaligned);
  CHECK(std::memcmp(streamed.data(), misaligned, bytes) == 0);
}
}  // namespace

TEST_CASE("register tiles use non-temporal stores for results larger than the caches made of full lines") {
  using rp::kernels::stores;
  const rp::host_buffer memory(64);
  const float* const c = static_cast<const float*>(memory.data());
  const auto how = [&](index_t elements, index_t first, index_t columns, index_t ld) {
    return rp::detail::stores_of_tiles(rp::kernels::native_unit, elements, c + first, columns, ld);
  };
  CHECK(how(too_many(), 0, 64, 128) == (tiles_can ? stores::streaming : stores::cached));
  CHECK(how(too_many() - 1, 0, 64, 128) == stores::cached);
  CHECK(how(too_many(), 8, 64, 128) == stores::cached);
  CHECK(how(too_many(), 0, 72, 128) == stores::cached);
  CHECK(how(too_many(), 0, 64, 72) == stores::cached);
}

TEST_CASE("a product with non-temporal stores has the same bits, in place and packed") {
  const tested_cpu on(2);
  for (const auto& [n, k] : {std::array<index_t, 2>{96, 5}, {4096, 130}})
    for (const rp::activation act : {rp::activation::relu, rp::activation::tanh}) {
      const index_t m = rp::ceil_div(too_many(), n) + 5, columns = n, depth = k;
      const std::vector<float> a = values(m * k), b = values(k * n), bias = values(n);
      writes_the_same(m * n, [&](float* c) {
        execute(on, rp::gemm_args<float>{.a = {a.data(), m, depth},
                                         .b = {b.data(), depth, columns},
                                         .c = {c, m, columns},
                                         .options = {.bias = bias.data(), .act = act}});
      });
    }
}

TEST_CASE("a convolution with non-temporal stores has the same bits") {
  const tested_cpu on(2);
  const index_t images = rp::ceil_div(too_many(), index_t{28 * 28 * 64});
  const rp::conv2d_geometry g{
      .n = images, .h = 28, .w = 28, .c = 1, .f = 64, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}};
  const std::vector<float> x = values(g.input_size()), w = values(g.filter_size()), bias = values(g.f);
  for (const rp::activation act : {rp::activation::relu, rp::activation::leaky_relu})
    writes_the_same(g.output_size(), [&](float* y) {
      execute(on, rp::conv2d_args<float>{.geometry = g,
                                         .x = x.data(),
                                         .w = w.data(),
                                         .bias = bias.data(),
                                         .y = y,
                                         .act = act,
                                         .algorithm = rp::conv_algorithm::segments});
    });
}

TEST_CASE("a depthwise convolution and its image gradient have the same bits with non-temporal stores") {
  const tested_cpu on(2);
  const index_t images = rp::ceil_div(too_many(), index_t{2 * 21 * 21 * 48});
  const rp::depthwise_geometry g{.n = images, .h = 21, .w = 21, .c = 48, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}};
  const std::vector<float> x = values(g.input_size()), w = values(g.filter_size()), bias = values(g.f());
  writes_the_same(g.output_size(), [&](float* y) {
    execute(on, rp::depthwise_conv2d_args<float>{g, x.data(), w.data(), bias.data(), y});
  });
  writes_the_same(g.input_size(), [&](float* dx) {
    execute(on, rp::depthwise_conv2d_backward_data_args<float>{g, x.data(), w.data(), dx});
  });
}

TEST_CASE("the gradient of a table has the same bits with non-temporal stores") {
  const index_t width = 50, vocabulary = rp::ceil_div(too_many(), width) + 3;
  const std::vector<std::int32_t> ids{0, 7, 8, static_cast<std::int32_t>(vocabulary - 1), 7, -1};
  const std::vector<float> dy = values(static_cast<index_t>(ids.size()) * width);
  for (const int threads : {1, 3})
    writes_the_same(vocabulary * width, [&](float* dtable) {
      execute(tested_cpu(threads), rp::embedding_backward_args<float>{.tokens = static_cast<index_t>(ids.size()),
                                                                      .vocabulary = vocabulary,
                                                                      .width = width,
                                                                      .ids = ids.data(),
                                                                      .dy = dy.data(),
                                                                      .dtable = dtable});
    });
}
