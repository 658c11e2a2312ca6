// SPDX-License-Identifier: MIT
// Depthwise convolution, channels, upsampling and detection of the CUDA backend against their definition, on the
// emulator.
#include <ridgepoint/cuda/convolution.hpp>
#include <ridgepoint/cuda/elementwise.hpp>
#include <ridgepoint/cuda/losses.hpp>

#include "fake_case.hpp"
#include "support/agreement.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {

auto depthwise_passes(const rp::depthwise_geometry& g) {
  return [=](const auto& where, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    rp::run(where, rp::depthwise_conv2d_args<S>{g, p[0], p[1], p[2], p[4]});
    rp::run(where, rp::depthwise_conv2d_args<S>{g, p[0], p[1], nullptr, p[5]});
    rp::run(where, rp::depthwise_conv2d_backward_data_args<S>{g, p[3], p[1], p[6]});
    rp::run(where, rp::depthwise_conv2d_backward_weights_args<S>{g, p[0], p[3], p[7], p[8]});
    rp::run(where, rp::depthwise_conv2d_backward_weights_args<S>{g, p[0], p[3], p[9], nullptr});
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

/// Rows with columns of zeros on both sides, and followed by columns of other rows; both have gaps between rows.
struct channels {
  index_t rows, before, narrow, after;
  [[nodiscard]] index_t wide() const { return before + narrow + after; }
};
auto channel_passes(const channels& g) {
  return [=](const auto& where, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    const index_t gap = g.narrow + 1, wide_gap = g.wide() + 2;
    rp::run(where,
            rp::pad_channels_args<S>{
                .before = g.before, .x = {p[0], g.rows, g.narrow, gap}, .y = {p[1], g.rows, g.wide(), wide_gap}});
    rp::run(where,
            rp::pad_channels_backward_args<S>{
                .before = g.before, .dy = {p[2], g.rows, g.wide(), wide_gap}, .dx = {p[3], g.rows, g.narrow, gap}});
    rp::run(where, rp::concat_channels_args<S>{.a = {p[0], g.rows, g.narrow, gap},
                                               .b = {p[2], g.rows, g.after + 1, wide_gap},
                                               .y = {p[4], g.rows, g.narrow + g.after + 1}});
  };
}
template <class T>
std::vector<operand> channel_operands(const channels& g) {
  const index_t narrow = g.rows * (g.narrow + 1), wide = g.rows * (g.wide() + 2);
  return {random_values<T>(narrow, 1), random_values<T>(wide, 2), random_values<T>(wide, 3),
          random_values<T>(narrow, 4), output(g.rows * (g.narrow + g.after + 1))};
}

struct enlarged {
  index_t n, h, w, c;
  rp::upsample_options options;
  [[nodiscard]] index_t small() const { return n * h * w * c; }
  [[nodiscard]] index_t large() const { return small() * options.factor.h * options.factor.w; }
};
auto enlarging(const enlarged& i) {
  return [=](const auto& where, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    rp::run(where, rp::upsample_args<S>{i.options, i.n, i.h, i.w, i.c, p[0], p[1]});
    rp::run(where, rp::upsample_backward_args<S>{i.options, i.n, i.h, i.w, i.c, p[2], p[3]});
  };
}
template <class T>
std::vector<operand> enlarged_operands(const enlarged& i) {
  return {random_values<T>(i.small(), 1), output(i.large()), random_values<T>(i.large(), 2), output(i.small())};
}

struct judged {
  index_t samples, logits, boxes;
  rp::detection_options options = {};
  double weight = 1;
  [[nodiscard]] index_t size() const { return samples * (logits + boxes); }
};
/// Runs without a gradient, with one, and with one that overwrites the values.
auto judging(const judged& g) {
  return [=](const auto& where, const auto& p, rp::step_state* state) {
    using S = element_t<decltype(p)>;
    rp::detection_args<S> a{.options = g.options,
                            .samples = g.samples,
                            .logits = g.logits,
                            .boxes = g.boxes,
                            .y = p[0],
                            .target = p[1],
                            .state = state,
                            .weight = g.weight};
    rp::run(where, a);
    a.dy = p[2];
    rp::run(where, a);
    a.dy = p[0];
    rp::run(where, a);
  };
}

}  // namespace

TEST_CASE_TEMPLATE("cuda: depthwise convolution of any window, stride, padding, dilation and multiplier", T, float,
                   double, rp::bfloat16) {
  for (const rp::depthwise_geometry& g :
       {rp::depthwise_geometry{.n = 0, .h = 5, .w = 5, .c = 3, .kh = 3, .kw = 3},
        {.n = 1, .h = 1, .w = 1, .c = 2, .multiplier = 2, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}},
        {.n = 2, .h = 6, .w = 9, .c = 5, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}},
        {.n = 2, .h = 6, .w = 9, .c = 33, .kh = 3, .kw = 3, .stride = 2, .padding = {1, 1, 1, 1}},
        {.n = 1, .h = 8, .w = 11, .c = 5, .kh = 2, .kw = 5, .stride = {3, 2}, .dilation = {2, 1}},
        {.n = 2, .h = 7, .w = 6, .c = 35, .kh = 5, .kw = 5, .padding = {2, 2, 2, 2}},
        {.n = 1,
        .h = 8,
        .w = 11,
        .c = 3,
        .multiplier = 3,
        .kh = 3,
        .kw = 2,
        .padding = {3, 4, 5, 5},
        .dilation = {3, 2}},
        {.n = 3,
        .h = 20,
        .w = 21,
        .c = 3,
        .multiplier = 2,
        .kh = 1,
        .kw = 4,
        .stride = {1, 3},
        .padding = {1, 0, 2, 1}}}) {
    CAPTURE(to_string(g));
    agree<T>(on_fake_gpu, depthwise_operands<T>(g), depthwise_passes(g));
  }
}

TEST_CASE_TEMPLATE("cuda: the padding of a depthwise convolution is zero and is multiplied too", T, float, double) {
  const rp::depthwise_geometry g{
      .n = 1, .h = 2, .w = 3, .c = 2, .multiplier = 2, .kh = 3, .kw = 2, .stride = {1, 2}, .padding = {1, 1, 1, 0}};
  for (const std::size_t which : {0U, 1U, 2U, 3U})
    agree_on_nan<T>(on_fake_gpu, depthwise_operands<T>(g), which, depthwise_passes(g));
}

TEST_CASE_TEMPLATE("cuda: channels are padded and joined, and gaps between rows are not written", T, float, double,
                   rp::bfloat16, rp::float16) {
  for (const channels& g : {channels{0, 1, 2, 3}, {1, 0, 1, 0}, {3, 2, 5, 1}, {7, 0, 64, 8}, {300, 33, 17, 5}}) {
    CAPTURE(g.rows);
    CAPTURE(g.narrow);
    agree<T>(on_fake_gpu, channel_operands<T>(g), channel_passes(g));
  }
  const channels g{2, 1, 2, 1};
  for (const std::size_t which : {0U, 2U})
    agree_on_nan<T>(on_fake_gpu, channel_operands<T>(g), which, channel_passes(g));
}

TEST_CASE_TEMPLATE("cuda: upsampling agrees with its definition, and a NaN propagates to its outputs only", T, float,
                   double, rp::bfloat16) {
  for (const auto how : {rp::upsampling::nearest, rp::upsampling::bilinear}) {
    for (const rp::spatial factor : {rp::spatial(1), rp::spatial(2), rp::spatial(3, 1), rp::spatial(4, 5)})
      for (const enlarged& i :
           {enlarged{2, 3, 4, 3, {factor, how}}, {1, 1, 1, 1, {factor, how}}, {0, 2, 2, 2, {2, how}}}) {
        CAPTURE(factor.h);
        CAPTURE(factor.w);
        agree<T>(on_fake_gpu, enlarged_operands<T>(i), enlarging(i));
      }
    const enlarged i{1, 2, 3, 1, {rp::spatial(2, 3), how}};
    for (const std::size_t which : {0U, 2U}) agree_on_nan<T>(on_fake_gpu, enlarged_operands<T>(i), which, enlarging(i));
  }
}

TEST_CASE_TEMPLATE("cuda: the loss of detections agrees with its definition", T, float, double) {
  for (const judged& g : {judged{1, 257, 0}, judged{1, 0, 31}, judged{3, 1000, 7, {.delta = 0.5}, 0.3},
                          judged{2, 5, 5, {.alpha = 0.4}}}) {
    CAPTURE(g.logits);
    CAPTURE(g.boxes);
    agree<T>(on_fake_gpu,
             {random_values<T>(g.size(), 1, -20, 20), random_values<T>(g.size(), 2, -1, 2), output(g.size())},
             judging(g));
    agree<T>(on_fake_gpu, {random_values<T>(g.size(), 1), random_values<T>(g.size(), 2, 0, 1), output(g.size())},
             judging(g));
  }
  const judged g{2, 3, 3, {.box_weight = 50}};
  for (const std::size_t which : {0U, 1U})
    agree_on_nan<T>(on_fake_gpu, {random_values<T>(g.size(), 1), random_values<T>(g.size(), 2, 0, 1), output(g.size())},
                    which, judging(g));
}
