// SPDX-License-Identifier: MIT
// The examples of docs/reference/: tools/api_reference takes what is between "// example NAME" and "// end of example".
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <ridgepoint/core/layouts.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/ops/array_gemm.hpp>
#include <ridgepoint/ops/geometry.hpp>
#include <ridgepoint/reference/all.hpp>
#include <ridgepoint/reference/gemm.hpp>
#include <ridgepoint/roofline/machines.hpp>
#include <ridgepoint/roofline/measure.hpp>
#include <ridgepoint/roofline/region.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;

namespace {
const auto& on = rp::reference;
}  // namespace

TEST_CASE("products of matrices") {
  {
    // example gemm
    const rp::tensor<float> a({2, 3}, {1, 2, 3, 4, 5, 6}), b({3, 2}, {1, 0, 0, 1, 1, 1});
    const std::vector<float> bias{10, -100};
    rp::tensor<float> c({2, 2});
    const rp::work receipt = rp::gemm(on, a, b, c, {.bias = bias, .act = rp::activation::relu});
    // c is {14, 0, 20, 0}; receipt.matrix_flop is 2·2·2·3
    // end of example
    CHECK(receipt.matrix_flop == 24);
    CHECK((c[0] == 14 && c[1] == 0 && c[2] == 20 && c[3] == 0));
  }
  {
    // example gemm_batched
    const rp::index_t m = 2, n = 2, k = 3;
    const std::vector<float> a(64 * m * k, 1), b(64 * k * n, 2);  // 64 problems, one after another
    std::vector<float> c(64 * m * n);
    rp::gemm_batched(
        on, rp::gemm_batched_args<float>{.first = {.a = {a.data(), m, k}, .b = {b.data(), k, n}, .c = {c.data(), m, n}},
                                         .count = 64,
                                         .a_step = m * k,
                                         .b_step = k * n,
                                         .c_step = m * n});
    // end of example
    CHECK(c.back() == 6);
  }
  {
    // example gemm_packed
    const rp::tensor<float> x({2, 3}, {1, 2, 3, 4, 5, 6}), weights({3, 2}, {1, 0, 0, 1, 1, 1});
    rp::tensor<float> y({2, 2});
    const rp::packed_matrix w = rp::pack_b(on, weights);  // once
    rp::gemm(on, x, w, y);                                // as often as there are inputs
    // end of example
    CHECK(y[0] == 4);
  }
  {
    // example dense
    const rp::tensor<float> x({2, 3}, {1, 2, 3, 4, 5, 6}), w({3, 2}, {1, 0, 0, 1, 1, 1});
    const std::vector<float> bias{0.5F, -8};
    rp::tensor<float> y({2, 2}), dy({2, 2}, {1, 1, 1, 1}), dx({2, 3}), dw({3, 2}), db({2});
    rp::dense(on, x, w, bias, y, rp::activation::relu);
    rp::dense_backward_data(on, dy, w, dx);
    rp::dense_backward_weights(on, x, dy, dw, db);
    // end of example
    CHECK((y[0] == 4.5F && y[1] == 0 && db[0] == 2));
  }
  {
    // example array_gemm
    const std::vector<float> a{1, 2, 3, 4}, b{1, 0, 0, 1};
    std::vector<float> c(4);
    rp::run(on, rp::array_gemm_args<rp::bfloat16>{
                    .a = {a.data(), 2, 2}, .b = {b.data(), 2, 2}, .c = {c.data(), 2, 2}, .depth = 128});
    // end of example
    CHECK(c == a);
  }
}

TEST_CASE("element by element") {
  {
    // example activate
    const std::vector<float> x{-1, 2}, dy{1, 1};
    std::vector<float> y(2), dx(2);
    rp::activate(on, rp::activation::relu, x, y);
    rp::activate_backward(on, rp::activation::relu, y, dy, dx);
    // y is {0, 2}, dx {0, 1}
    // end of example
    CHECK((y[0] == 0 && y[1] == 2 && dx[0] == 0 && dx[1] == 1));
  }
  {
    // example add
    const std::vector<double> a{1, 2}, b{10, 20};
    std::vector<double> y(2);
    rp::add(on, a, b, y);  // y is {11, 22}
    // end of example
    CHECK(y[1] == 22);
  }
  {
    // example add_bias
    const std::vector<float> bias{1, -10};
    std::vector<float> x{1, 2, 3, 4};
    rp::add_bias(on, rp::add_bias_args<float>{.rows = 2,
                                              .channels = 2,
                                              .x = x.data(),
                                              .bias = bias.data(),
                                              .y = x.data(),  // in place
                                              .act = rp::activation::relu});
    // end of example
    CHECK(x == std::vector<float>{2, 0, 4, 0});
  }
  {
    // example convert
    const rp::tensor<float> x({3}, {1, 2, 3});
    rp::tensor<rp::bfloat16> y({3});
    rp::convert(on, x, y);
    // end of example
    CHECK(static_cast<float>(y[2]) == 3);
  }
  {
    // example dropout
    const rp::step_state state{.step = 7};  // another mask at every step
    const std::vector<float> x(100, 1);
    std::vector<float> y(100);
    rp::dropout(on, x, y, {.rate = 0.5, .seed = 42, .stream = 1, .state = &state});
    // end of example
    for (const float v : y) CHECK((v == 0 || v == 2));
  }
  {
    // example sum_of_squares
    const std::vector<float> x{3, 4};
    rp::step_state state;
    rp::sum_of_squares(on, rp::sum_of_squares_args<float>{.size = 2, .x = x.data(), .state = &state});
    // state.gradient_squares is 25
    // end of example
    CHECK(state.gradient_squares == 25);
  }
  {
    // example concat_channels
    const rp::tensor<float> a({2, 1}, {1, 2}), b({2, 2}, {10, 11, 20, 21});
    rp::tensor<float> y({2, 3});
    rp::concat_channels(on, a, b, y);  // y is {1, 10, 11, 2, 20, 21}
    // end of example
    CHECK(y(1, 2) == 21);
  }
  {
    // example pad_channels
    const rp::tensor<float> x({2, 1}, {1, 2});
    rp::tensor<float> y({2, 3}), dx({2, 1});
    rp::pad_channels(on, 1, x, y);            // y is {0, 1, 0, 0, 2, 0}
    rp::pad_channels_backward(on, 1, y, dx);  // dx is {1, 2}
    // end of example
    CHECK((y(1, 1) == 2 && y(1, 2) == 0 && dx[1] == 2));
  }
}

TEST_CASE("losses and optimisers") {
  {
    // example softmax
    const rp::tensor<float> x({1, 2}, {0, 0});
    rp::tensor<float> y({1, 2});
    rp::softmax(on, x, y);  // y is {0.5, 0.5}
    // end of example
    CHECK(y[0] == 0.5F);
  }
  {
    // example softmax_cross_entropy
    const rp::tensor<float> logits({3, 2}, {5, 0, 0, 5, 1, 1});
    const std::vector<std::int32_t> labels{0, 1, -1};  // the third row is padding
    rp::tensor<float> dlogits({3, 2});
    rp::step_state state;
    rp::softmax_cross_entropy(on, logits, labels, dlogits, &state, -1);
    // state.loss is the mean of two rows, state.correct is 2, state.ignored is 1
    // end of example
    CHECK((state.correct == 2 && state.ignored == 1 && dlogits(2, 0) == 0));
  }
  {
    // example mse
    const std::vector<float> y{1, 3}, target{1, 1};
    std::vector<float> dy(2);
    rp::step_state state;
    rp::mse(on,
            rp::mse_args<float>{.y = y.data(), .target = target.data(), .dy = dy.data(), .size = 2, .state = &state});
    // state.loss is 2
    // end of example
    CHECK(state.loss == 2);
  }
  {
    // example binary_cross_entropy
    const std::vector<float> y{0, 0}, target{0, 1};  // y: logits
    std::vector<float> dy(2);
    rp::step_state state;
    rp::binary_cross_entropy(on,
                             rp::binary_cross_entropy_args<float>{
                                 .y = y.data(), .target = target.data(), .dy = dy.data(), .size = 2, .state = &state});
    // state.loss is ln 2
    // end of example
    CHECK(state.loss == near(std::log(2.0), 1e-6));
  }
  {
    // example detection
    const std::vector<float> y{5, -5, 0.5F, 0.5F, 0, 0}, target{1, 0, 0.5F, 0.5F, 0, 0};  // 2 logits, a box of 4
    std::vector<float> dy(6);
    rp::step_state state;
    rp::detection(on, rp::detection_args<float>{.samples = 1,
                                                .logits = 2,
                                                .boxes = 4,
                                                .y = y.data(),
                                                .target = target.data(),
                                                .dy = dy.data(),
                                                .state = &state});
    // end of example
    CHECK(std::isfinite(state.loss));
  }
  std::vector<float> w{1, 2}, m(2), v(2);
  const std::vector<float> g{0.5F, -0.5F};
  {
    // example sgd
    // w, g and what an optimiser remembers: std::vector<float> of 2 elements
    const rp::step_state state{.learning_rate = 0.1};
    rp::sgd_update(on, rp::sgd_update_args<float>{.size = 2, .w = w.data(), .g = g.data(), .state = &state});
    // end of example
    CHECK(w[0] == near(0.95, 1e-6));
  }
  {
    // example momentum
    // w, g and what an optimiser remembers: std::vector<float> of 2 elements
    const rp::step_state state{.learning_rate = 0.1};
    rp::momentum_update(
        on, rp::momentum_update_args<float>{.size = 2, .w = w.data(), .g = g.data(), .a = v.data(), .state = &state});
    // end of example
    CHECK(w[0] == near(0.9, 1e-6));
  }
  {
    // example adam
    // w, g and what an optimiser remembers: std::vector<float> of 2 elements
    const rp::step_state state{.learning_rate = 0.001};
    rp::adam_update(on, rp::adam_update_args<float>{
                            .size = 2, .w = w.data(), .g = g.data(), .m = m.data(), .v = v.data(), .state = &state});
    // end of example
    CHECK(std::isfinite(w[0]));
  }
  {
    // example adadelta
    // w, g and what an optimiser remembers: std::vector<float> of 2 elements
    const rp::step_state state{.learning_rate = 0.01};
    std::vector<float> a(2, 0), d(2);
    rp::adadelta_update(on,
                        rp::adadelta_update_args<float>{
                            .size = 2, .w = w.data(), .g = g.data(), .a = a.data(), .d = d.data(), .state = &state});
    // end of example
    CHECK(std::isfinite(w[0]));
  }
  {
    // example rmsprop_keras
    // w, g and what an optimiser remembers: std::vector<float> of 2 elements
    const rp::step_state state{.learning_rate = 0.01};
    std::vector<float> a(2, 0);
    rp::rmsprop_keras_update(on, rp::rmsprop_keras_update_args<float>{
                                     .size = 2, .w = w.data(), .g = g.data(), .a = a.data(), .state = &state});
    // end of example
    CHECK(std::isfinite(w[0]));
  }
  {
    // example rmsprop_tf1
    // w, g and what an optimiser remembers: std::vector<float> of 2 elements
    const rp::step_state state{.learning_rate = 0.01};
    std::vector<float> a(2, 1), d(2);  // the mean square starts at 1
    rp::rmsprop_tf1_update(
        on, rp::rmsprop_tf1_update_args<float>{
                .size = 2, .w = w.data(), .g = g.data(), .ms = a.data(), .mom = d.data(), .state = &state});
    // end of example
    CHECK(std::isfinite(w[0]));
  }
  {
    // example step_state
    rp::step_state state{.learning_rate = 1, .base_learning_rate = 1};
    rp::advance(on, &state, {.decay = rp::rate_schedule::form::step, .steps = 1, .factor = 0.5});
    // state.step is 1, state.learning_rate 0.5
    // end of example
    CHECK((state.step == 1 && state.learning_rate == 0.5));
  }
  {
    // example options
    constexpr rp::update_rule rule{.weight_decay = 1e-4, .clip_value = 1};
    constexpr rp::rate_schedule schedule{.decay = rp::rate_schedule::form::cosine, .warm_up_steps = 100, .steps = 1000};
    const double rate = rp::scheduled_rate(schedule, 0.1, 49);  // half of the way up
    // end of example
    CHECK(rule.decays());
    CHECK(rate == near(0.05));
  }
}

TEST_CASE("images") {
  {
    // example conv2d
    const rp::tensor<float> x({8, 28, 28, 3}), w({3, 3, 3, 16});  // images (n, h, w, c), filter (kh, kw, c, f)
    const std::vector<float> bias(16, 1);
    rp::tensor<float> y({8, 28, 28, 16}), dx({8, 28, 28, 3}), dw({3, 3, 3, 16}), db({16});
    const rp::convolution_options same{.padding = rp::same_padding(28, 3)};
    rp::conv2d(on, x, w, bias, y, same, rp::activation::relu);
    rp::conv2d_backward_data(on, y, w, dx, same);  // y stands for its gradient
    rp::conv2d_backward_weights(on, x, y, dw, db, same);
    // end of example
    CHECK((y[0] == 1 && db[0] == 8 * 28 * 28));
  }
  {
    // example depthwise_conv2d
    const rp::tensor<float> x({2, 8, 8, 3}), w({3, 3, 3, 1});  // filter (kh, kw, c, multiplier)
    rp::tensor<float> y({2, 6, 6, 3}), dx({2, 8, 8, 3}), dw({3, 3, 3, 1});
    rp::depthwise_conv2d(on, x, w, std::vector<float>{1, 2, 3}, y);
    rp::depthwise_conv2d_backward_data(on, y, w, dx);
    rp::depthwise_conv2d_backward_weights(on, x, y, dw, nullptr);
    // end of example
    CHECK(y[2] == 3);
  }
  {
    // example max_pool2d
    const rp::tensor<float> x({1, 4, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
    rp::tensor<float> y({1, 2, 2, 1}), dx({1, 4, 4, 1});
    std::vector<std::uint8_t> index(4);  // which element was the largest, for the backward pass
    rp::max_pool2d(on, x, y, index, {.window = 2, .stride = 2});
    rp::max_pool2d_backward(on, y, index, dx, {.window = 2, .stride = 2});  // y stands for its gradient
    // y is {6, 8, 14, 16}
    // end of example
    CHECK((y[0] == 6 && y[3] == 16 && dx[15] == 16));
  }
  {
    // example avg_pool2d
    const rp::tensor<float> x({1, 2, 2, 1}, {1, 2, 3, 6});
    rp::tensor<float> y({1, 1, 1, 1}), dx({1, 2, 2, 1});
    rp::avg_pool2d(on, x, y, {.window = 2, .stride = 2});
    rp::avg_pool2d_backward(on, y, dx, {.window = 2, .stride = 2});
    // y is {3}
    // end of example
    CHECK((y[0] == 3 && dx[0] == 0.75F));
  }
  {
    // example upsample
    const rp::tensor<float> x({1, 1, 2, 1}, {1, 2});
    rp::tensor<float> y({1, 2, 4, 1}), dx({1, 1, 2, 1});
    rp::upsample(on, x, y, {.factor = 2});  // y is {1, 1, 2, 2, 1, 1, 2, 2}
    rp::upsample_backward(on, y, dx, {.factor = 2});
    // end of example
    CHECK((y[7] == 2 && dx[0] == 4));
  }
  {
    // example geometry
    const rp::conv2d_geometry g{.n = 8,
                                .h = 28,
                                .w = 28,
                                .c = 3,
                                .f = 16,
                                .kh = 3,
                                .kw = 3,
                                .stride = 2,
                                .padding = rp::same_padding(28, 3, 2)};
    check(g);                                                              // throws where a window does not fit
    const rp::work cost = receipt(rp::conv2d_args<float>{.geometry = g});  // of an op that need not run
    // g.oh() is 14, cost.matrix_flop is 2·g.macs()
    // end of example
    CHECK(g.oh() == 14);
    CHECK(cost.matrix_flop == 2 * static_cast<std::uint64_t>(g.macs()));
  }
}

TEST_CASE("normalisations") {
  const std::vector<float> gamma{1, 1}, beta{0, 0};
  {
    // example batch_norm
    // gamma, beta: std::vector<float> of 2 channels
    const rp::tensor<float> x({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});  // (rows, channels); images just as well
    rp::tensor<float> y({4, 2}), dx({4, 2}), mean({2}), inverse({2}), dgamma({2}), dbeta({2}), still({4, 2});
    rp::batch_norm(on, x, gamma, beta, y, mean, inverse);
    rp::batch_norm_backward(on, x, gamma, mean, inverse, y, dx, dgamma, dbeta);
    rp::batch_norm_inference(on, x, gamma, beta, mean, std::vector<float>{1, 1}, still, {.epsilon = 1e-5});
    // mean is {4, 5}
    // end of example
    CHECK((mean[0] == 4 && mean[1] == 5));
  }
  {
    // example layer_norm
    // gamma, beta: std::vector<float> of 2 channels
    const rp::tensor<float> x({2, 2}, {1, 3, 10, 30});
    rp::tensor<float> y({2, 2}), dx({2, 2}), mean({2}), inverse({2}), dgamma({2}), dbeta({2});
    rp::layer_norm(on, x, gamma, beta, y, {.mean = mean, .inverse = inverse});
    rp::layer_norm_backward(on, x, gamma, mean, inverse, y, dx, dgamma, dbeta);
    // mean is {2, 20}
    // end of example
    CHECK(mean[1] == 20);
  }
  {
    // example group_norm
    // gamma, beta: std::vector<float> of 2 channels
    const rp::tensor<float> x({1, 2, 1, 2}, {1, 3, 5, 7});  // one image of 2 pixels, 2 channels
    rp::tensor<float> y({1, 2, 1, 2}), dx({1, 2, 1, 2}), mean({1, 1}), inverse({1, 1}), dgamma({2}), dbeta({2});
    rp::group_norm(on, x, gamma, beta, y, {.groups = 1}, {.mean = mean, .inverse = inverse});
    rp::group_norm_backward(on, x, gamma, mean, inverse, y, dx, dgamma, dbeta);
    // mean is {4}
    // end of example
    CHECK(mean[0] == 4);
  }
  {
    // example fold_batch_norm
    // gamma, beta: std::vector<float> of 2 channels
    const rp::tensor<float> w({1, 1, 3, 2});  // a filter of 2 channels of the output
    const std::vector<float> mean{1, 2}, variance{1, 1};
    rp::tensor<float> folded_w({1, 1, 3, 2}), folded_bias({2});
    rp::fold_batch_norm(on, w, {}, gamma, beta, mean, variance, folded_w, folded_bias, {.epsilon = 1e-5});
    // conv2d with folded_w and folded_bias is conv2d with w, then batch_norm_inference
    // end of example
    CHECK(folded_bias[1] == near(-2, 1e-4));
  }
}

TEST_CASE("sequences") {
  {
    // example embedding
    const std::vector<std::int32_t> ids{2, 0};
    const rp::tensor<float> table({3, 2}, {0, 1, 10, 11, 20, 21});
    rp::tensor<float> y({2, 2}), dtable({3, 2});
    rp::embedding(on, ids, table, y);  // y is {20, 21, 0, 1}
    rp::embedding_backward(on, ids, y, dtable);
    // end of example
    CHECK((y[0] == 20 && dtable(2, 1) == 21));
  }
  {
    // example embedding_rows
    const std::vector<std::int32_t> ids{2, 0, 2};
    const rp::tensor<float> dy({3, 1}, {1, 10, 100});
    std::vector<std::int32_t> rows(3);
    rp::tensor<float> sums({3, 1});
    rp::embedding_rows(on, ids, dy, 3, rows, sums);  // a sum for each different row
    // end of example
    CHECK(sums[0] + sums[1] + sums[2] == 111);
  }
  {
    // example positions
    const rp::tensor<float> x({1, 4, 8});  // (n, steps, width)
    rp::tensor<float> y({1, 4, 8}), dx({1, 4, 8});
    rp::positions(on, x, y, 2.0);
    rp::positions_backward(on, y, dx, 2.0);
    // end of example
    CHECK(dx[1] == 2 * y[1]);
  }
  {
    // example attention
    const rp::tensor<float> q({1, 4, 2, 8}), k({1, 4, 2, 8}), v({1, 4, 2, 8});  // (n, steps, heads, width)
    rp::tensor<float> y({1, 4, 2, 8}), log_sums({1, 2, 4}), dq({1, 4, 2, 8}), dk({1, 4, 2, 8}), dv({1, 4, 2, 8});
    rp::attention(on, q, k, v, y, {.causal = true}, {.log_sums = log_sums});
    rp::attention_backward(on, q, k, v, y, log_sums, y, dq, dk, dv, {.causal = true});
    // end of example
    CHECK(y[0] == 0);
  }
  const rp::index_t steps = 5, n = 2, in = 3, units = 4;
  {
    // example rnn
    const rp::tensor<float> x({steps, n, in});
    const rp::tensor<float> wx({in, units}), wh({units, units});
    const std::vector<float> bias(units);
    rp::tensor<float> y({steps, n, units}), last({n, units}), dwx({in, units}), dwh({units, units}), dx({steps, n, in});
    rp::rnn(on, x, wx, wh, bias, y, {.last = last, .act = rp::activation::tanh});
    rp::rnn_backward(on, x, wx, wh, y, y, dwx, dwh, {.dx = dx});  // the second y stands for its gradient
    // end of example
    CHECK(last[0] == 0);
  }
  {
    // example lstm
    const rp::tensor<float> x({steps, n, in});
    const rp::tensor<float> wx({in, 4 * units}), wh({units, 4 * units});  // gates i, f, g, o
    const std::vector<float> bias(4 * units);
    rp::tensor<float> y({steps, n, units}), c({steps, n, units}), gates({steps, n, 4 * units});
    rp::tensor<float> dwx({in, 4 * units}), dwh({units, 4 * units}), db({4 * units});
    rp::lstm(on, x, wx, wh, bias, y, {.c = c, .gates = gates});
    rp::lstm_backward(on, x, wx, wh, y, c, gates, y, dwx, dwh, {.db = db});
    // end of example
    CHECK(gates[0] == 0.5F);
  }
  {
    // example gru
    const rp::tensor<float> x({steps, n, in});
    const rp::tensor<float> wx({in, 3 * units}), wh({units, 3 * units});  // gates r, z, n
    const std::vector<float> bias(3 * units);
    rp::tensor<float> y({steps, n, units}), last({n, units});
    rp::gru(on, x, wx, wh, bias, y, {.last = last});
    // end of example
    CHECK(last[0] == 0);
  }
  {
    // example projected_lstm
    const rp::tensor<float> x({steps, n, in});
    const rp::index_t width = 2;  // of the state that is projected
    const rp::tensor<float> wx({in, 4 * units}), wh({width, 4 * units}), wp({units, width});
    const std::vector<float> bias(4 * units);
    rp::tensor<float> y({steps, n, width});
    rp::projected_lstm(on, x, wx, wh, wp, bias, y);
    // end of example
    CHECK(y[0] == 0);
  }
  {
    // example recurrent
    const std::vector<std::int32_t> lengths{3, 5};
    rp::tensor<std::int32_t> mask({steps, n});  // of options: {.mask = mask}
    rp::mask_of_lengths(lengths, {mask.data(), steps, n, 1, n, 1});
    const std::vector<float> b_ih(4 * units, 1), b_hh(4 * units, 2);  // of PyTorch's LSTM
    std::vector<float> bias(4 * units);
    rp::sum_recurrent_biases(b_ih, b_hh, bias);
    // end of example
    CHECK((mask[2 * n] == 1 && mask[3 * n] == 0 && bias[0] == 3));
  }
}

TEST_CASE("what ops share") {
  {
    // example operands
    rp::tensor<float> t({2, 3}, {1, 2, 3, 4, 5, 6});
    const rp::matrix_view<float> m = t.matrix(), columns = m.block(0, 1, 2, 2);
    const std::vector<float> v{1, 2, 3};
    const rp::tensor_view<const float, 1> of_range(v);
    // t(1, 2) is 6, m.transposed()(2, 1) as well; columns(0, 0) is 2
    // end of example
    CHECK((m.transposed()(2, 1) == 6 && columns(0, 0) == 2 && of_range(2) == 3));
  }
  {
    // example calls
    const std::vector<double> a{1, 2}, b{10, 20};
    std::vector<double> y(2);
    const rp::add_args<double> args{.size = 2, .a = a.data(), .b = b.data(), .y = y.data()};
    const rp::work receipt = rp::run(on, args);  // checks, runs, and returns receipt(args)
    // on rp::cpu, rp::prepared(on, args) plans once what run() then repeats
    // end of example
    CHECK(receipt == rp::work{.flop = 2, .bytes = {.inputs = 32, .outputs = 16}});
  }
  {
    // example roofline
    const rp::machine& v100 = rp::find_machine("v100");  // or rp::probe(rp::cpu()), this machine's
    const rp::index_t n = 4096;
    const rp::work product = receipt(
        rp::gemm_args<double>{.a = {nullptr, n, n}, .b = {nullptr, n, n}, .c = {nullptr, n, n}});  // nothing runs
    const rp::placement at = rp::place(v100, product, 0.05);  // 50 ms; on the roof of f64, the receipt's own type
    const rp::placement asked = rp::place(v100, product, 0.05, 0, {.dtype = "f32"});
    // at.efficiency, at.bound, at.flop_per_s
    // end of example
    CHECK(at.bound == "compute");
    CHECK(at.efficiency > 1.5 * asked.efficiency);
  }
}
