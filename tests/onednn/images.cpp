// SPDX-License-Identifier: MIT
// Checks the definitions of the ops on images against oneDNN's primitives, in f32.
#include <doctest/doctest.h>

#include <ridgepoint/onednn/primitive.hpp>
#include <ridgepoint/reference/convolution.hpp>
#include <ridgepoint/reference/normalisation.hpp>
#include <ridgepoint/reference/pooling.hpp>

#include "tensors.hpp"

namespace rp = ridgepoint;
using dims = dnnl::memory::dims;
using tag = dnnl::memory::format_tag;
using rp::index_t;
using rp::tensor;

namespace {

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}
dnnl::memory::desc layout(const dims& extents, tag t) { return {extents, dnnl::memory::data_type::f32, t}; }
dnnl::memory memory(const dims& extents, tag t, const tensor<float>& values) {
  return {layout(extents, t), engine(), const_cast<float*>(values.data())};
}
void run(const dnnl::primitive& primitive, std::unordered_map<int, dnnl::memory> arguments) {
  dnnl::stream stream(engine());
  primitive.execute(stream, arguments);
  stream.wait();
}

tensor<float> random(const rp::shape& extents, std::uint64_t seed) {
  return random_tensor<float>(extents, seed, -1, 1);
}
/// Checks that two sums of `products` terms are within their rounding bound; scale(i) is the sum of magnitudes.
void check_close(const tensor<float>& ours, const tensor<float>& theirs, const tensor<float>& scale, index_t products) {
  test::check_sums("oneDNN's", theirs, ours, scale, products);
}
using test::magnitudes;

struct case_of_conv2d {
  rp::conv2d_geometry g;
  dims x{g.n, g.c, g.h, g.w}, w{g.f, g.c, g.kh, g.kw}, y{g.n, g.f, g.oh(), g.ow()};
  dims stride{g.stride.h, g.stride.w}, dilation{g.dilation.h - 1, g.dilation.w - 1};
  dims begin{g.padding.top, g.padding.left}, end{g.padding.bottom, g.padding.right};
};
const rp::conv2d_geometry geometries[] = {
    {.n = 2, .h = 9, .w = 8, .c = 3, .f = 5, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}},
    {.n = 1, .h = 11, .w = 7, .c = 4, .f = 16, .kh = 3, .kw = 2, .stride = {2, 1}, .padding = {0, 1, 1, 0}},
    {.n = 2, .h = 8, .w = 8, .c = 16, .f = 8, .stride = 2},
    {.n = 1, .h = 9, .w = 9, .c = 2, .f = 3, .kh = 3, .kw = 3, .padding = {2, 2, 2, 2}, .dilation = 2},
    {.n = 1, .h = 14, .w = 14, .c = 3, .f = 8, .kh = 7, .kw = 7, .stride = 2, .padding = {3, 3, 3, 3}},
};

}  // namespace

TEST_CASE("conv2d: all three passes") {
  using namespace rp::onednn_detail;
  for (const rp::conv2d_geometry& g : geometries) {
    CAPTURE(to_string(g));
    const case_of_conv2d c{g};
    const auto x = random({g.input_size()}, 1), w = random({g.filter_size()}, 2), b = random({g.f}, 3);
    const auto dy = random({g.output_size()}, 4);
    const auto x_at = memory(c.x, tag::nhwc, x), w_at = memory(c.w, tag::hwio, w), b_at = memory({g.f}, tag::x, b),
               dy_at = memory(c.y, tag::nhwc, dy);
    tensor<float> y({g.output_size()}), y0 = y, bound = y;
    const auto forward = describe<dnnl::convolution_forward>(
        engine(), {}, dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct, x_at.get_desc(),
        w_at.get_desc(), b_at.get_desc(), layout(c.y, tag::nhwc), c.stride, c.dilation, c.begin, c.end);
    run(dnnl::convolution_forward(forward), {{DNNL_ARG_SRC, x_at},
                                             {DNNL_ARG_WEIGHTS, w_at},
                                             {DNNL_ARG_BIAS, b_at},
                                             {DNNL_ARG_DST, memory(c.y, tag::nhwc, y)}});
    const auto ax = magnitudes(x), aw = magnitudes(w), ab = magnitudes(b), ady = magnitudes(dy);
    rp::run(rp::reference,
            rp::conv2d_args<float>{.geometry = g, .x = x.data(), .w = w.data(), .bias = b.data(), .y = y0.data()});
    rp::run(rp::reference, rp::conv2d_args<float>{
                               .geometry = g, .x = ax.data(), .w = aw.data(), .bias = ab.data(), .y = bound.data()});
    check_close(y0, y, bound, g.kh * g.kw * g.c + 1);

    tensor<float> dx({g.input_size()}), dx0 = dx, dx_bound = dx;
    const auto data = describe_backward<dnnl::convolution_backward_data>(
        engine(), forward, dnnl::algorithm::convolution_direct, x_at.get_desc(), w_at.get_desc(), dy_at.get_desc(),
        c.stride, c.dilation, c.begin, c.end);
    run(dnnl::convolution_backward_data(data),
        {{DNNL_ARG_DIFF_DST, dy_at}, {DNNL_ARG_WEIGHTS, w_at}, {DNNL_ARG_DIFF_SRC, memory(c.x, tag::nhwc, dx)}});
    rp::run(rp::reference,
            rp::conv2d_backward_data_args<float>{.geometry = g, .dy = dy.data(), .w = w.data(), .dx = dx0.data()});
    rp::run(rp::reference, rp::conv2d_backward_data_args<float>{
                               .geometry = g, .dy = ady.data(), .w = aw.data(), .dx = dx_bound.data()});
    check_close(dx0, dx, dx_bound, g.kh * g.kw * g.f);

    tensor<float> dw({g.filter_size()}), dw0 = dw, dw_bound = dw, db({g.f}), db0 = db, db_bound = db;
    const auto weights = describe_backward<dnnl::convolution_backward_weights>(
        engine(), forward, dnnl::algorithm::convolution_direct, x_at.get_desc(), w_at.get_desc(), b_at.get_desc(),
        dy_at.get_desc(), c.stride, c.dilation, c.begin, c.end);
    run(dnnl::convolution_backward_weights(weights), {{DNNL_ARG_SRC, x_at},
                                                      {DNNL_ARG_DIFF_DST, dy_at},
                                                      {DNNL_ARG_DIFF_WEIGHTS, memory(c.w, tag::hwio, dw)},
                                                      {DNNL_ARG_DIFF_BIAS, memory({g.f}, tag::x, db)}});
    rp::run(rp::reference, rp::conv2d_backward_weights_args<float>{
                               .geometry = g, .x = x.data(), .dy = dy.data(), .dw = dw0.data(), .db = db0.data()});
    rp::run(rp::reference,
            rp::conv2d_backward_weights_args<float>{
                .geometry = g, .x = ax.data(), .dy = ady.data(), .dw = dw_bound.data(), .db = db_bound.data()});
    check_close(dw0, dw, dw_bound, g.n * g.oh() * g.ow());
    check_close(db0, db, db_bound, g.n * g.oh() * g.ow());
  }
}

TEST_CASE("depthwise convolution with multipliers 1 and 2") {
  using namespace rp::onednn_detail;
  for (const index_t multiplier : {1, 2}) {
    const rp::depthwise_geometry g{.n = 2,
                                   .h = 9,
                                   .w = 8,
                                   .c = 6,
                                   .multiplier = multiplier,
                                   .kh = 3,
                                   .kw = 3,
                                   .stride = 2,
                                   .padding = {1, 1, 0, 1}};
    const auto x = random({g.input_size()}, 5), w = random({g.filter_size()}, 6);
    const dims x_dims{g.n, g.c, g.h, g.w}, w_dims{g.c, multiplier, 1, g.kh, g.kw}, y_dims{g.n, g.f(), g.oh(), g.ow()};
    tensor<float> y({g.output_size()}), y0 = y, bound = y;
    const auto x_at = memory(x_dims, tag::nhwc, x), w_at = memory(w_dims, tag::hwigo, w);
    const auto forward = describe<dnnl::convolution_forward>(
        engine(), {}, dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, x_at.get_desc(),
        w_at.get_desc(), layout(y_dims, tag::nhwc), dims{2, 2}, dims{0, 0}, dims{1, 0}, dims{1, 1});
    run(dnnl::convolution_forward(forward),
        {{DNNL_ARG_SRC, x_at}, {DNNL_ARG_WEIGHTS, w_at}, {DNNL_ARG_DST, memory(y_dims, tag::nhwc, y)}});
    rp::run(rp::reference,
            rp::depthwise_conv2d_args<float>{.geometry = g, .x = x.data(), .w = w.data(), .y = y0.data()});
    rp::run(rp::reference, rp::depthwise_conv2d_args<float>{
                               .geometry = g, .x = magnitudes(x).data(), .w = magnitudes(w).data(), .y = bound.data()});
    check_close(y0, y, bound, g.kh * g.kw);
  }
}

TEST_CASE("pooling: maximum, and mean without padding") {
  const rp::pool2d_geometry g{
      .n = 2, .h = 9, .w = 8, .c = 5, .kh = 3, .kw = 2, .stride = {2, 1}, .padding = {1, 1, 1, 0}};
  const auto x = random({g.input_size()}, 7);
  const dims x_dims{g.n, g.c, g.h, g.w}, y_dims{g.n, g.c, g.oh(), g.ow()}, stride{2, 1}, window{3, 2}, none{0, 0};
  for (const auto algorithm : {dnnl::algorithm::pooling_max, dnnl::algorithm::pooling_avg_exclude_padding}) {
    tensor<float> y({g.output_size()}), y0 = y, bound = y;
    using pooling = rp::onednn_detail::pooling_forward;
    const auto forward = rp::onednn_detail::describe<pooling>(
        engine(), {}, dnnl::prop_kind::forward_inference, algorithm, layout(x_dims, tag::nhwc),
        layout(y_dims, tag::nhwc), stride, window, none, dims{1, 1}, dims{1, 0});
    run(pooling(forward), {{DNNL_ARG_SRC, memory(x_dims, tag::nhwc, x)}, {DNNL_ARG_DST, memory(y_dims, tag::nhwc, y)}});
    if (algorithm == dnnl::algorithm::pooling_max) {
      rp::run(rp::reference, rp::max_pool2d_args<float>{.geometry = g, .x = x.data(), .y = y0.data()});
      for (index_t i = 0; i < y.size(); ++i) CHECK(y[i] == y0[i]);
    } else {
      rp::run(rp::reference, rp::avg_pool2d_args<float>{.geometry = g, .x = x.data(), .y = y0.data()});
      rp::run(rp::reference, rp::avg_pool2d_args<float>{.geometry = g, .x = magnitudes(x).data(), .y = bound.data()});
      check_close(y0, y, bound, g.kh * g.kw);
    }
  }
}

TEST_CASE("batch normalisation of a training step") {
  const index_t n = 3, h = 4, w = 5, c = 8, rows = n * h * w;
  const auto x = random({rows * c}, 8), gamma = random({c}, 9), beta = random({c}, 10);
  const dims x_dims{n, c, h, w};
  tensor<float> y({rows * c}), mean({c}), variance({c}), y0({rows * c}), mean0({c}), inverse({c});
  const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
  const auto data = layout(x_dims, tag::nhwc);
  const auto forward =
      rp::onednn_detail::describe_batch_norm(engine(), dnnl::prop_kind::forward_training, data, 1e-3F, flags);
  run(dnnl::batch_normalization_forward(forward), {{DNNL_ARG_SRC, memory(x_dims, tag::nhwc, x)},
                                                   {DNNL_ARG_SCALE, memory({c}, tag::x, gamma)},
                                                   {DNNL_ARG_SHIFT, memory({c}, tag::x, beta)},
                                                   {DNNL_ARG_MEAN, memory({c}, tag::x, mean)},
                                                   {DNNL_ARG_VARIANCE, memory({c}, tag::x, variance)},
                                                   {DNNL_ARG_DST, memory(x_dims, tag::nhwc, y)}});
  rp::run(rp::reference, rp::batch_norm_args<float>{.options = {.epsilon = 1e-3},
                                                    .rows = rows,
                                                    .channels = c,
                                                    .x = x.data(),
                                                    .gamma = gamma.data(),
                                                    .beta = beta.data(),
                                                    .y = y0.data(),
                                                    .mean = mean0.data(),
                                                    .inverse = inverse.data()});
  const double tolerance = 4 * test::gamma(rows);  // values and statistics are around one
  for (index_t j = 0; j < c; ++j) {
    CHECK(std::abs(mean[j] - mean0[j]) <= tolerance);
    CHECK(std::abs(1 / std::sqrt(variance[j] + 1e-3F) - inverse[j]) <= tolerance * static_cast<double>(inverse[j]));
  }
  for (index_t i = 0; i < y.size(); ++i) CHECK(std::abs(y[i] - y0[i]) <= 2 * tolerance);
}
