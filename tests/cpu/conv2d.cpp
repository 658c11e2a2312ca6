// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/conv2d.hpp>

#include <string_view>

#include "support/conv2d_passes.hpp"

namespace rp = ridgepoint;
using namespace conv2d_passes;

// A plan in bfloat16 lists every op: the backend must refuse those it lacks, without compiling them.
static_assert(!rp::executes<rp::native_cpu, rp::conv2d_args<rp::bfloat16>>);
static_assert(!rp::executes<rp::native_cpu, rp::conv2d_backward_data_args<rp::bfloat16>>);

TEST_CASE_TEMPLATE("conv2d and its gradients agree with their definitions: windows", T, float, double) {
  for (const rp::spatial kernel : {rp::spatial(1), rp::spatial(3), rp::spatial(2, 5), rp::spatial(4, 1)})
    for (const rp::spatial stride : {rp::spatial(1), rp::spatial(2), rp::spatial(3, 1)})
      for (const rp::spatial dilation : {rp::spatial(1), rp::spatial(2), rp::spatial(1, 3)})
        for (const rp::padding2d& padding : {rp::padding2d{}, rp::padding2d{1, 1, 1, 1}, rp::padding2d{0, 3, 5, 1}}) {
          const rp::conv2d_geometry g{.n = 2,
                                      .h = 9,
                                      .w = 13,
                                      .c = 3,
                                      .f = 5,
                                      .kh = kernel.h,
                                      .kw = kernel.w,
                                      .stride = stride,
                                      .padding = padding,
                                      .dilation = dilation};
          agree_on_passes<T>(g);
        }
}
TEST_CASE_TEMPLATE("conv2d and its gradients agree with their definitions: channels", T, float, double) {
  for (const rp::index_t c : {1, 4, 7, 16, 33})
    for (const rp::index_t f : {1, 8, 17, 40})
      for (const rp::index_t stride : {1, 2})
        agree_on_passes<T>(
            {.n = 1, .h = 6, .w = 7, .c = c, .f = f, .kh = 3, .kw = 3, .stride = stride, .padding = {1, 1, 1, 1}});
}
TEST_CASE_TEMPLATE("conv2d and its gradients agree with their definitions: many pixels", T, float, double) {
  agree_on_passes<T>({.n = 3, .h = 40, .w = 37, .c = 2, .f = 6, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}});
  agree_on_passes<T>({.n = 5, .h = 31, .w = 33, .c = 5, .f = 4, .kh = 1, .kw = 1});
  agree_on_passes<T>(
      {.n = 2, .h = 41, .w = 37, .c = 3, .f = 4, .kh = 7, .kw = 7, .stride = 2, .padding = {3, 3, 3, 3}});
  agree_on_passes<T>({.n = 1, .h = 9, .w = 8, .c = 40, .f = 70, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}});
  agree_on_passes<T>({.n = 9, .h = 5, .w = 5, .c = 3, .f = 6, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}});
}
TEST_CASE("conv2d and its gradients agree with their definitions: a filter larger than L2") {
  agree_on_passes<float>({.n = 1, .h = 4, .w = 5, .c = 128, .f = 530, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}});
  agree_on_passes<float>({.n = 2, .h = 3, .w = 4, .c = 1030, .f = 34, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}});
}
constexpr rp::activation fused[] = {rp::activation::none,  rp::activation::relu,    rp::activation::leaky_relu,
                                    rp::activation::relu6, rp::activation::sigmoid, rp::activation::tanh};

TEST_CASE_TEMPLATE("conv2d adds its residual and applies its activation", T, float, double) {
  for (const rp::activation act : fused)
    for (const bool residual : {false, true})
      for (const rp::index_t kernel : {1, 3})
        for (const rp::index_t groups : {1, 3})
          agree_on_passes<T>({.n = 2, .h = 5, .w = 6, .c = 3, .f = 18, .kh = kernel, .kw = kernel, .groups = groups},
                             {act, residual});
}
TEST_CASE_TEMPLATE("a NaN reaches exactly the outputs of its windows, for every filter and activation", T, float,
                   double) {
  const rp::conv2d_geometry g{
      .n = 1, .h = 2, .w = 3, .c = 2, .f = tested::lanes<T>() + 1, .kh = 2, .kw = 2, .padding = {1, 0, 0, 1}};
  const std::vector<operand> operands{random_values<T>(g.input_size(), 1), random_values<T>(g.filter_size(), 2),
                                      random_values<T>(g.f, 3), random_values<T>(g.output_size(), 4),
                                      output(g.output_size())};
  for (const rp::activation act :
       {rp::activation::none, rp::activation::relu, rp::activation::relu6, rp::activation::leaky_relu})
    for (const bool residual : {false, true})
      for (const rp::conv_algorithm algorithm : {rp::conv_algorithm::exact, rp::conv_algorithm::segments,
                                                 rp::conv_algorithm::patches, rp::conv_algorithm::dots})
        agree_on_nan<T>(on_cpu, operands, 0, forward_pass(g, {act, residual}, algorithm));
}
TEST_CASE("conv2d of images larger than L2 agrees with its definition: in groups, and with a residual") {
  const rp::index_t n = 2 + rp::detail::gemm_host_caches().l2 / 2 / (10 * 11 * 24 * 4);
  const rp::conv_algorithm all[] = {rp::conv_algorithm::automatic};
  rp::conv2d_geometry g{
      .n = n, .h = 10, .w = 11, .c = 12, .f = 12, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}, .groups = 3};
  agree_on_passes<float>(g, {}, on_cpu, all);
  g.groups = 1;
  agree_on_passes<float>(g, {rp::activation::leaky_relu, true}, on_cpu, all);
}
TEST_CASE("an empty batch has an empty output, and gradients of zero") {
  for (const rp::index_t kernel : {1, 3})
    for (const rp::index_t groups : {1, 3})
      agree_on_passes<float>({.n = 0, .h = 5, .w = 6, .c = 3, .f = 6, .kh = kernel, .kw = kernel, .groups = groups});
}

TEST_CASE_TEMPLATE("a prepared pass of conv2d runs in exactly the workspace that it reports", T, float, double) {
  for (const bool constant : {false, true})
    for (const rp::index_t n : {0, 1, 3})
      for (const rp::index_t kernel : {1, 3})
        for (const rp::index_t stride : {1, 2, 4})
          for (const rp::index_t f : {1, 3, 20}) {
            const rp::conv2d_geometry g{.n = n,
                                        .h = 11,
                                        .w = 12,
                                        .c = 4,
                                        .f = f,
                                        .kh = kernel,
                                        .kw = kernel,
                                        .stride = stride,
                                        .padding = {1, 0, 0, 1}};
            const auto prepared = [=](int threads) { return as_prepared(threads, constant); };
            agree_on_passes<T>(g, {}, prepared);
            rp::conv2d_geometry parted = g;
            parted.f = 2 * f, parted.groups = 2;
            if (stride < 4) agree_on_passes<T>(parted, {}, prepared);
          }
}

TEST_CASE_TEMPLATE("gradients of many pixels are summed in chunks, whatever their workspace held", T, float, double) {
  agree_on_gradients_of<T>([](int threads) { return as_prepared(threads, false); },
                           {.n = 5, .h = 40, .w = 37, .c = 8, .f = 16, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}},
                           direct);
}

TEST_CASE("a prepared convolution reports its algorithm and its constant filter") {
  const float some[1] = {};
  rp::conv2d_args<float> a{.geometry = {.n = 2, .h = 8, .w = 8, .c = 4, .f = 40, .kh = 3, .kw = 3}, .w = some};
  const tested_cpu on(1);
  const rp::preparation made = prepare(on, a, {}).info,
                        kept = prepare(on, a, {.constant = some, .constant_bytes = 4}).info;
  CHECK(std::string_view(made.algorithm) == (tested::replicates_a<float>() ? "patches" : "segments"));
  CHECK(made.constant_bytes == 0);
  CHECK(kept.constant_bytes > 0);
  CHECK(kept.workspace_bytes + kept.constant_bytes == made.workspace_bytes);
  CHECK(made.executed.matrix_flop >= receipt(a).matrix_flop);
  a.geometry.c = 1, a.geometry.f = 2, a.geometry.w = 32;
  CHECK((std::string_view(prepare(on, a, {}).info.algorithm) == "joined") == (tested::lanes<float>() >= 8));
  a.algorithm = rp::conv_algorithm::exact;
  CHECK(std::string_view(prepare(on, a, {}).info.algorithm) != "joined");
  a.algorithm = rp::conv_algorithm::automatic;
  a.geometry.c = 40, a.geometry.w = 4;
  CHECK((std::string_view(prepare(on, a, {}).info.algorithm) == "dots") == (tested::lanes<float>() > 1));
  a.geometry.c = 1, a.geometry.w = 40;  // a row of taps does not fill a register
  CHECK(std::string_view(prepare(on, a, {}).info.algorithm) != "dots");
  a.geometry.c = 4, a.geometry.f = 40;
  a.geometry.w = 8;
  a.geometry.kh = a.geometry.kw = 1;
  CHECK(std::string_view(prepare(on, a, {}).info.algorithm) == "product");
  a = {.geometry = {.n = 2, .h = 8, .w = 8, .c = 5, .f = 5, .kh = 3, .kw = 3, .groups = 5},
       .act = rp::activation::relu};
  const rp::preparation by_channel = prepare(on, a, {}).info;
  CHECK(std::string_view(by_channel.algorithm) == "depthwise");
  constexpr index_t pixels = 6 * 8;  // six columns computed as two times four
  CHECK(by_channel.executed.matrix_flop == 2ULL * 2 * pixels * 9 * rp::round_up(index_t{5}, tested::lanes<float>()));
  CHECK(by_channel.executed.flop - by_channel.executed.matrix_flop == receipt(a).flop - receipt(a).matrix_flop);
}
