// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/depthwise_conv2d.hpp>

#include <string_view>

#include "support/cpu_sizes.hpp"
#include "support/random_tensor.hpp"
#include "support/run_prepared.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
auto all_passes(const rp::depthwise_geometry& g) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(on, rp::depthwise_conv2d_args<S>{g, p[0], p[1], p[2], p[4]});
    execute(on, rp::depthwise_conv2d_args<S>{g, p[0], p[1], nullptr, p[5]});
    execute(on, rp::depthwise_conv2d_backward_data_args<S>{g, p[3], p[1], p[6]});
    execute(on, rp::depthwise_conv2d_backward_weights_args<S>{g, p[0], p[3], p[7], p[8]});
    execute(on, rp::depthwise_conv2d_backward_weights_args<S>{g, p[0], p[3], p[9], nullptr});
  };
}
template <class T>
std::vector<operand> depthwise_operands(const rp::depthwise_geometry& g) {
  return {random_values<T>(g.input_size(), 1),
          random_values<T>(g.filter_size(), 2),
          random_values<T>(g.f(), 3),
          random_values<T>(g.output_size(), 4),
          output(g.output_size()),
          output(g.output_size()),
          output(g.input_size()),
          output(g.filter_size()),
          output(g.f()),
          output(g.filter_size())};
}
template <class T>
void check_passes(const rp::depthwise_geometry& g) {
  CAPTURE(to_string(g));
  CAPTURE(g.c);
  agree<T>(on_cpu, depthwise_operands<T>(g), all_passes(g));
}
}  // namespace

TEST_CASE_TEMPLATE("depthwise convolution agrees with its definition around registers of channels", T, float, double) {
  const index_t lanes = tested::lanes<T>();
  for (const index_t c : {index_t{1}, index_t{3}, lanes - 1, lanes, lanes + 1, 2 * lanes, 3 * lanes + 1, 5 * lanes - 1})
    for (const index_t stride : {1, 2})
      if (c > 0)
        check_passes<T>({.n = 2, .h = 6, .w = 9, .c = c, .kh = 3, .kw = 3, .stride = stride, .padding = {1, 1, 1, 1}});
}

TEST_CASE_TEMPLATE("depthwise convolution with rows of various lengths", T, float, double) {
  for (index_t w = 3; w <= 28; ++w)
    check_passes<T>(
        {.n = 1, .h = 4, .w = w, .c = 2 * tested::lanes<T>() + 1, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}});
}

TEST_CASE_TEMPLATE("depthwise convolution of any window, stride, padding, dilation and multiplier", T, float, double) {
  for (const index_t multiplier : {1, 3})
    for (const rp::spatial stride : {rp::spatial{1, 1}, rp::spatial{2, 2}, rp::spatial{1, 3}, rp::spatial{3, 2}})
      for (const rp::spatial dilation : {rp::spatial{1, 1}, rp::spatial{2, 3}, rp::spatial{3, 2}})
        for (const auto& [kh, kw] : {std::array<index_t, 2>{1, 1}, {1, 4}, {3, 2}, {2, 5}, {5, 7}})
          for (const rp::padding2d& pad : {rp::padding2d{}, rp::padding2d{1, 0, 2, 1}, rp::padding2d{3, 4, 5, 5}}) {
            const rp::depthwise_geometry g{.n = 1,
                                           .h = 8,
                                           .w = 11,
                                           .c = 5,
                                           .multiplier = multiplier,
                                           .kh = kh,
                                           .kw = kw,
                                           .stride = stride,
                                           .padding = pad,
                                           .dilation = dilation};
            if (g.oh() > 0 && g.ow() > 0) check_passes<T>(g);
          }
}

TEST_CASE_TEMPLATE("depthwise convolution of no image, of one pixel, and with several threads", T, float, double) {
  check_passes<T>({.n = 0, .h = 5, .w = 5, .c = 3, .kh = 3, .kw = 3});
  check_passes<T>({.n = 1, .h = 1, .w = 1, .c = 2, .multiplier = 2, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}});
  check_passes<T>({.n = 3, .h = 28, .w = 28, .c = 70, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}});
  check_passes<T>({.n = 2, .h = 40, .w = 40, .c = 32, .multiplier = 2, .kh = 3, .kw = 3, .stride = 2});
}

TEST_CASE_TEMPLATE("depthwise convolution in several tiles, inside the image and at its border", T, float, double) {
  for (const index_t c : {33, 128, 256})  // read in place, the last one from a copy
    for (const rp::spatial stride : {rp::spatial{1, 1}, rp::spatial{2, 1}})
      check_passes<T>({.n = 1, .h = 13, .w = 85, .c = c, .kh = 4, .kw = 5, .stride = stride, .padding = {2, 1, 2, 2}});
}

TEST_CASE_TEMPLATE("the padding of a depthwise convolution is zeros that are multiplied", T, float, double) {
  for (const index_t multiplier : {1, 2}) {
    const rp::depthwise_geometry g{.n = 1,
                                   .h = 2,
                                   .w = 3,
                                   .c = 2,
                                   .multiplier = multiplier,
                                   .kh = 3,
                                   .kw = 2,
                                   .stride = {1, 2},
                                   .padding = {1, 1, 1, 0}};
    rp::depthwise_geometry sliding = g;
    sliding.w = 6, sliding.kw = 3, sliding.stride = 1, sliding.padding = {1, 1, 1, 1};
    for (const rp::depthwise_geometry& each : {g, sliding}) {
      for (const std::size_t which : {0U, 1U, 2U, 3U})
        agree_on_nan<T>(on_cpu, depthwise_operands<T>(each), which, all_passes(each));
      std::vector<operand> infinite = depthwise_operands<T>(each);
      infinite[1].values[1] = std::numeric_limits<double>::infinity();
      infinite[3].values[3] = -std::numeric_limits<double>::infinity();
      agree<T>(on_cpu, infinite, all_passes(each));
    }
  }
}

namespace {
struct info {
  std::string_view algorithm;
  std::uint64_t matrix_flop;
  friend bool operator==(const info&, const info&) = default;
};
template <class Args>
info info_of(const Args& a) {
  const rp::preparation made = prepare(tested_cpu(1), a, {}).info;
  CHECK(made.executed.bytes == receipt(a).bytes);
  CHECK(made.executed.flop - made.executed.matrix_flop == receipt(a).flop - receipt(a).matrix_flop);
  return {made.algorithm, made.executed.matrix_flop};
}
}  // namespace

TEST_CASE_TEMPLATE("a depthwise convolution reports its algorithm and its executed work", T, float, double) {
  const T some[1] = {};
  rp::depthwise_geometry g{.n = 2, .h = 5, .w = 8, .c = 3, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}};
  const auto executes = [&](index_t taps) {  // multiply-adds per channel and image
    return static_cast<std::uint64_t>(2 * g.n * taps * rp::round_up(g.f(), tested::lanes<T>()));
  };
  const auto forward = [&] { return info_of(rp::depthwise_conv2d_args<T>{g, some, some, some}); };
  const auto data = [&] { return info_of(rp::depthwise_conv2d_backward_data_args<T>{g, some, some}); };
  const auto weights = [&] { return info_of(rp::depthwise_conv2d_backward_weights_args<T>{g, some, some}); };
  // Rows have 2, 3, 3, 3, 2 taps inside the image. Eight columns have 3, but the first and the last one 2.
  CHECK(forward() == info{"in place", executes(13 * (8 * 3 - 2))});
  CHECK(data() == info{"in place", executes(13 * (8 * 3 - 2))});
  CHECK(weights() == info{"copied", executes(5 * 8 * 9)});  // a tile is an image
  g.stride = 2;                                             // 3 × 4 outputs
  CHECK(forward() == info{"in place", executes((2 + 3 + 2) * (2 + 3 * 3))});
  CHECK(weights() == info{"in place", executes(3 * 4 * 9)});
  g.multiplier = 2;
  CHECK(forward().algorithm == "spread");
  CHECK(data().algorithm == "folded");
  CHECK(weights().algorithm == "copied");
}

TEST_CASE_TEMPLATE("a prepared depthwise convolution gives the same bits", T, float, double) {
  for (const index_t multiplier : {1, 2}) {
    const rp::depthwise_geometry g{
        .n = 2, .h = 7, .w = 9, .c = 5, .multiplier = multiplier, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}};
    const auto x = random_tensor<T>({g.input_size()}, 1), w = random_tensor<T>({g.filter_size()}, 2),
               dy = random_tensor<T>({g.output_size()}, 3), bias = random_tensor<T>({g.f()}, 4);
    const tested_cpu on(1);
    const auto both = [&](index_t size, const auto& args_to) {
      rp::tensor<T> one({size}), other({size});
      execute(on, args_to(one.data()));
      const auto args = args_to(other.data());
      run_prepared(on, prepare(on, args, {}), args);
      CHECK(std::equal(one.begin(), one.end(), other.begin()));
    };
    both(g.output_size(), [&](T* y) { return rp::depthwise_conv2d_args<T>{g, x.data(), w.data(), bias.data(), y}; });
    both(g.input_size(), [&](T* dx) { return rp::depthwise_conv2d_backward_data_args<T>{g, dy.data(), w.data(), dx}; });
    both(g.filter_size(), [&](T* dw) {
      return rp::depthwise_conv2d_backward_weights_args<T>{g, x.data(), dy.data(), dw};
    });
  }
}
