// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/all.hpp>

#include "support/agreement.hpp"

/// Compares whole families of ops with their definitions, on any backend and in any storage. Agreement of one op at the
/// sizes that matter to its kernel is tested next to that kernel.
namespace agreement {

/// The sizes of element-wise ops.
using sizes = std::vector<index_t>;

/// activate, add, dropout, mse and binary_cross_entropy, forward and backward, for `size` elements, one of them
/// optionally NaN.
template <class T, class On>
void agree_on_elementwise_ops(const On& on, index_t size, bool with_nan = false) {
  namespace rp = ridgepoint;
  CAPTURE(size);
  operand x = random_values<T>(size, 1);
  const operand dy = random_values<T>(size, 2);
  if (with_nan) x.values[static_cast<std::size_t>(size - 1)] = std::numeric_limits<double>::quiet_NaN();
  for (int number = 0; number < rp::activation_count; ++number) {
    const auto f = static_cast<rp::activation>(number);
    CAPTURE(number);
    agree<T>(on, {x, output(size)}, [&](const auto& where, const auto& p, rp::step_state*) {
      using S = element_t<decltype(p)>;
      rp::run(where, rp::activate_args<S>{.f = f, .slope = 0.25, .size = size, .x = p[0], .y = p[1]});
    });
    agree<T>(on, {x, dy, output(size)}, [&](const auto& where, const auto& p, rp::step_state*) {
      using S = element_t<decltype(p)>;
      rp::run(where,
              rp::activate_backward_args<S>{.f = f, .slope = 0.25, .size = size, .y = p[0], .dy = p[1], .dx = p[2]});
    });
  }
  agree<T>(on, {x, dy, output(size)}, [&](const auto& where, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    rp::run(where, rp::add_args<S>{.size = size, .a = p[0], .b = p[1], .y = p[2]});
  });
  for (const bool in_place : {false, true})
    agree<T>(on, {x, output(size)}, [&](const auto& where, const auto& p, rp::step_state* state) {
      using S = element_t<decltype(p)>;
      rp::run(where, rp::dropout_args<S>{.size = size,
                                         .x = p[0],
                                         .y = in_place ? p[0] : p[1],
                                         .rate = 0.375,
                                         .seed = 7,
                                         .stream = 3,
                                         .state = state});
    });
  if (size == 0) return;
  for (const bool gradient : {true, false}) {
    agree<T>(on, {x, dy, output(size)}, [&](const auto& where, const auto& p, rp::step_state* state) {
      using S = element_t<decltype(p)>;
      rp::run(where, rp::mse_args<S>{
                         .y = p[0], .target = p[1], .dy = gradient ? p[2] : nullptr, .size = size, .state = state});
    });
    agree<T>(on, {x, random_values<T>(size, 3, 0, 1), output(size)},
             [&](const auto& where, const auto& p, rp::step_state* state) {
               using S = element_t<decltype(p)>;
               rp::run(where,
                       rp::binary_cross_entropy_args<S>{
                           .y = p[0], .target = p[1], .dy = gradient ? p[2] : nullptr, .size = size, .state = state});
             });
  }
}

/// softmax and softmax_cross_entropy, with `gap` elements between rows.
template <class T, class On>
void agree_on_softmax(const On& on, index_t rows, index_t cols, index_t gap, bool with_nan = false) {
  namespace rp = ridgepoint;
  CAPTURE(rows);
  CAPTURE(cols);
  const index_t ld = cols + gap, size = rows == 0 ? 0 : (rows - 1) * ld + cols;
  operand x = random_values<T>(size, 1, -5, 5);
  if (with_nan) x.values[static_cast<std::size_t>(size - 1)] = std::numeric_limits<double>::quiet_NaN();
  for (const bool in_place : {false, true})
    agree<T>(on, {x, output(size)}, [&](const auto& where, const auto& p, rp::step_state*) {
      using S = element_t<decltype(p)>;
      rp::run(where, rp::softmax_args<S>{.x = {p[0], rows, cols, ld}, .y = {p[in_place ? 0 : 1], rows, cols, ld}});
    });
  if (rows == 0) return;
  ridgepoint::random_stream random(5);
  std::vector<std::int32_t> labels;
  for (index_t i = 0; i < rows; ++i)
    labels.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(cols))));
  for (const bool gradient : {true, false})
    agree<T>(on, {x, output(rows * cols)}, [&](const auto& where, const auto& p, rp::step_state* state) {
      using S = element_t<decltype(p)>;
      rp::run(where, rp::softmax_cross_entropy_args<S>{.logits = {p[0], rows, cols, ld},
                                                       .labels = labels.data(),
                                                       .dlogits = {gradient ? p[1] : nullptr, rows, cols},
                                                       .state = state});
    });
}

struct product_extents {
  index_t m, k, n;
};

/// gemm with every kind of option and operands stored by rows, by columns and with strides; the passes of dense.
template <class T, class On>
void agree_on_products(const On& on, const product_extents& e) {
  namespace rp = ridgepoint;
  const index_t m = e.m, k = e.k, n = e.n;
  CAPTURE(m);
  CAPTURE(k);
  CAPTURE(n);
  const operand a = random_values<T>(m * k, 1), b = random_values<T>(k * n, 2), bias = random_values<T>(n, 3),
                c = random_values<T>(m * n, 4), dy = random_values<T>(m * n, 5);
  for (const bool transposed : {false, true})
    agree<T>(on, {a, b, bias, c}, [&](const auto& where, const auto& p, rp::step_state*) {
      using S = element_t<decltype(p)>;
      using number = rp::compute_t<S>;
      const rp::matrix_view<const S> by_rows(p[0], m, k), by_columns(p[0], k, m), b_by_rows(p[1], k, n),
          b_by_columns(p[1], n, k);
      rp::run(where, rp::gemm_args<S>{.a = transposed ? by_columns.transposed() : by_rows,
                                      .b = transposed ? b_by_columns.transposed() : b_by_rows,
                                      .c = {p[3], m, n},
                                      .options = {.alpha = number(0.75),
                                                  .beta = number(transposed ? 1 : -0.5),
                                                  .bias = p[2],
                                                  .act = rp::activation::tanh}});
    });
  agree<T>(on, {random_values<T>(2 * m * k, 6), random_values<T>(2 * k * n, 7), output(2 * m * n)},
           [&](const auto& where, const auto& p, rp::step_state*) {
             using S = element_t<decltype(p)>;
             rp::run(where, rp::gemm_args<S>{
                                .a = {p[0], m, k, 2 * k, 2}, .b = {p[1], k, n, 2 * n, 2}, .c = {p[2], m, n, 2 * n, 2}});
           });
  for (const rp::activation f : {rp::activation::none, rp::activation::relu, rp::activation::sigmoid})
    for (const bool has_bias : {true, false})
      agree<T>(on, {a, b, bias, output(m * n)}, [&](const auto& where, const auto& p, rp::step_state*) {
        using S = element_t<decltype(p)>;
        rp::run(
            where,
            rp::dense_args<S>{
                .x = {p[0], m, k}, .w = {p[1], k, n}, .bias = has_bias ? p[2] : nullptr, .y = {p[3], m, n}, .act = f});
      });
  agree<T>(on, {dy, b, output(m * k)}, [&](const auto& where, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    rp::run(where, rp::dense_backward_data_args<S>{.dy = {p[0], m, n}, .w = {p[1], k, n}, .dx = {p[2], m, k}});
  });
  for (const bool has_bias : {true, false})
    agree<T>(on, {a, dy, output(k * n), output(n)}, [&](const auto& where, const auto& p, rp::step_state*) {
      using S = element_t<decltype(p)>;
      rp::run(where, rp::dense_backward_weights_args<S>{
                         .x = {p[0], m, k}, .dy = {p[1], m, n}, .dw = {p[2], k, n}, .db = has_bias ? p[3] : nullptr});
    });
}

/// Convolution, depthwise convolution and pooling, forward and backward.
template <class T, class On>
void agree_on_image_ops(const On& on) {
  namespace rp = ridgepoint;
  for (const rp::conv2d_geometry& g :
       {rp::conv2d_geometry{.n = 1, .h = 1, .w = 1, .c = 1, .f = 1},
        {.n = 2, .h = 5, .w = 6, .c = 3, .f = 5, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}},
        {.n = 2, .h = 9, .w = 8, .c = 1, .f = 4, .kh = 2, .kw = 3, .stride = {3, 2}, .dilation = {2, 1}},
        {.n = 0, .h = 4, .w = 4, .c = 2, .f = 3, .kh = 3, .kw = 3}}) {
    CAPTURE(to_string(g));
    const operand x = random_values<T>(g.input_size(), 1), w = random_values<T>(g.filter_size(), 2),
                  bias = random_values<T>(g.f, 3), dy = random_values<T>(g.output_size(), 4);
    agree<T>(on, {x, w, bias, output(g.output_size())}, [&](const auto& where, const auto& p, rp::step_state*) {
      using S = element_t<decltype(p)>;
      rp::run(where, rp::conv2d_args<S>{g, p[0], p[1], p[2], p[3], rp::activation::relu});
    });
    agree<T>(on, {dy, w, output(g.input_size())}, [&](const auto& where, const auto& p, rp::step_state*) {
      using S = element_t<decltype(p)>;
      rp::run(where, rp::conv2d_backward_data_args<S>{g, p[0], p[1], p[2]});
    });
    agree<T>(on, {x, dy, output(g.filter_size()), output(g.f)}, [&](const auto& where, const auto& p, rp::step_state*) {
      using S = element_t<decltype(p)>;
      rp::run(where, rp::conv2d_backward_weights_args<S>{g, p[0], p[1], p[2], p[3]});
    });
  }
  for (const rp::depthwise_geometry& g :
       {rp::depthwise_geometry{.n = 2, .h = 5, .w = 6, .c = 3, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}},
        {.n = 1, .h = 7, .w = 5, .c = 2, .multiplier = 3, .kh = 2, .kw = 3, .stride = {2, 1}}}) {
    CAPTURE(to_string(g));
    const operand x = random_values<T>(g.input_size(), 1), w = random_values<T>(g.filter_size(), 2),
                  bias = random_values<T>(g.f(), 3), dy = random_values<T>(g.output_size(), 4);
    agree<T>(on, {x, w, bias, output(g.output_size())}, [&](const auto& where, const auto& p, rp::step_state*) {
      using S = element_t<decltype(p)>;
      rp::run(where, rp::depthwise_conv2d_args<S>{g, p[0], p[1], p[2], p[3]});
    });
    agree<T>(on, {dy, w, output(g.input_size())}, [&](const auto& where, const auto& p, rp::step_state*) {
      using S = element_t<decltype(p)>;
      rp::run(where, rp::depthwise_conv2d_backward_data_args<S>{g, p[0], p[1], p[2]});
    });
    agree<T>(on, {x, dy, output(g.filter_size()), output(g.f())},
             [&](const auto& where, const auto& p, rp::step_state*) {
               using S = element_t<decltype(p)>;
               rp::run(where, rp::depthwise_conv2d_backward_weights_args<S>{g, p[0], p[1], p[2], p[3]});
             });
  }
  for (const rp::pool2d_geometry& g :
       {rp::pool2d_geometry{.n = 2, .h = 6, .w = 5, .c = 3, .kh = 2, .kw = 2, .stride = 2},
        {.n = 1, .h = 7, .w = 6, .c = 2, .kh = 3, .kw = 3, .stride = {2, 1}, .padding = {1, 1, 1, 1}}}) {
    CAPTURE(to_string(g));
    const operand x = random_values<T>(g.input_size(), 1), dy = random_values<T>(g.output_size(), 4);
    agree<T>(on, {x, dy, output(g.output_size()), output(g.input_size())},
             [&](const auto& where, const auto& p, rp::step_state*) {
               using S = element_t<decltype(p)>;
               std::vector<std::uint8_t> index(static_cast<std::size_t>(g.output_size()));
               rp::run(where, rp::max_pool2d_args<S>{g, p[0], p[2], index.data()});
               rp::run(where, rp::max_pool2d_backward_args<S>{g, p[1], index.data(), p[3]});
             });
    agree<T>(on, {x, dy, output(g.output_size()), output(g.input_size())},
             [&](const auto& where, const auto& p, rp::step_state*) {
               using S = element_t<decltype(p)>;
               rp::run(where, rp::avg_pool2d_args<S>{g, p[0], p[2]});
               rp::run(where, rp::avg_pool2d_backward_args<S>{g, p[1], p[3]});
             });
  }
}

}  // namespace agreement
