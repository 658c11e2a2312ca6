// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/receipt_proof.hpp"

/// Every receipt against its executed witness: the definition of the op, run with a scalar that counts.
namespace rp = ridgepoint;
using rp::index_t;
using witness::counting;
using witness::draw;
using witness::operands;
using witness::prove;
using witness::role;

namespace {

void prove_gemm(draw d) {
  operands o(1);
  const index_t m = d.extent(0, 9), n = d.extent(0, 9), k = d.extent(1, 9);
  const rp::matrix_view<counting> a(o.add(m * k), k, m), b(o.add(k * n, role::weights), k, n), c(o.add(m * n), m, n);
  const double betas[] = {0, 1, 0.5};
  const rp::gemm_options<counting> options{.alpha = counting(d.coin() ? 1 : 0.5),
                                           .beta = counting(betas[d.extent(0, 2)]),
                                           .bias = d.coin() && m > 0 ? o.add(n, role::weights) : nullptr,
                                           .act = rp::activation::none};
  prove(rp::gemm_args<counting>{.a = a.transposed(), .b = b, .c = c, .options = options});
}

void prove_dense(draw d) {
  const index_t n = d.extent(0, 9), in = d.extent(1, 9), out = d.extent(1, 9);
  const rp::activation fusable[] = {rp::activation::none, rp::activation::relu, rp::activation::sigmoid,
                                    rp::activation::tanh};
  {
    operands o(2);
    prove(rp::dense_forward_args<counting>{.x = {o.add(n * in), n, in},
                                           .w = {o.add(in * out, role::weights), in, out},
                                           .bias = d.coin() ? o.add(out, role::weights) : nullptr,
                                           .y = {o.add(n * out), n, out},
                                           .act = fusable[d.extent(0, 3)]});
  }
  {
    operands o(3);
    prove(rp::dense_backward_data_args<counting>{
        .dy = {o.add(n * out), n, out}, .w = {o.add(in * out, role::weights), in, out}, .dx = {o.add(n * in), n, in}});
  }
  operands o(4);
  prove(rp::dense_backward_weights_args<counting>{.x = {o.add(n * in), n, in},
                                                  .dy = {o.add(n * out), n, out},
                                                  .dw = {o.add(in * out), in, out},
                                                  .db = d.coin() ? o.add(out) : nullptr});
}

void prove_activate(draw d) {
  const index_t size = d.extent(0, 200);
  const rp::activation f = d.activation(rp::activation_count);
  {
    operands o(5);
    counting* x = o.add(size);
    prove(rp::activate_args<counting>{.f = f, .size = size, .x = x, .y = d.coin() ? x : o.add(size)});
  }
  operands o(6);
  counting* dy = o.add(size);
  prove(rp::activate_backward_args<counting>{
      .f = f, .size = size, .y = o.add(size), .dy = dy, .dx = d.coin() ? dy : o.add(size)});
}

void prove_add_and_dropout(draw d) {
  const index_t size = d.extent(0, 200);
  rp::step_state state;
  {
    operands o(7);
    prove(rp::add_args<counting>{.size = size, .a = o.add(size), .b = o.add(size), .y = o.add(size)});
  }
  operands o(8);
  prove(rp::dropout_args<counting>{
      .size = size, .x = o.add(size), .y = o.add(size), .rate = counting(0.25), .state = &state});
}

void prove_losses(draw d) {
  const index_t rows = d.extent(1, 12), cols = d.extent(1, 20), size = d.extent(1, 200);
  rp::step_state state;
  {
    operands o(9);
    prove(rp::softmax_args<counting>{.x = {o.add(rows * cols), rows, cols}, .y = {o.add(rows * cols), rows, cols}});
  }
  {
    operands o(10);
    std::vector<std::int32_t> labels;
    for (index_t i = 0; i < rows; ++i) labels.push_back(static_cast<std::int32_t>(d.extent(0, cols - 1)));
    prove(rp::softmax_cross_entropy_args<counting>{.logits = {o.add(rows * cols), rows, cols},
                                                   .labels = labels.data(),
                                                   .dlogits = {d.coin() ? o.add(rows * cols) : nullptr, rows, cols},
                                                   .state = &state},
          {.inputs = labels.size() * sizeof labels[0]});  // each label is read; it is no counting scalar
  }
  {
    operands o(11);
    prove(rp::mse_args<counting>{.y = o.add(size),
                                 .target = o.add(size),
                                 .dy = d.coin() ? o.add(size) : nullptr,
                                 .size = size,
                                 .state = &state});
  }
  operands o(12);
  prove(rp::binary_cross_entropy_args<counting>{
      .y = o.add(size), .target = o.add(size), .dy = d.coin() ? o.add(size) : nullptr, .size = size, .state = &state});
}

void prove_updates(draw d) {
  const index_t size = d.extent(0, 200);
  const rp::step_state state{.step = 3, .learning_rate = 0.1};
  // The vectors in the order w, g, then the optimiser's own.
  const auto vectors = [&](operands& o) {
    struct {
      counting *w, *g, *s, *t;
    } v{o.add(size, role::weights), o.add(size), o.add(size, role::weights), o.add(size, role::weights)};
    return v;
  };
  operands a(13);
  auto v = vectors(a);
  prove(rp::sgd_args<counting>{.size = size, .w = v.w, .g = v.g, .state = &state});
  operands b(14);
  v = vectors(b);
  prove(rp::momentum_args<counting>{.size = size, .w = v.w, .g = v.g, .a = v.s, .state = &state});
  operands c(15);
  v = vectors(c);
  prove(rp::rmsprop_keras_args<counting>{.size = size, .w = v.w, .g = v.g, .a = v.s, .state = &state});
  operands e(16);
  v = vectors(e);
  prove(rp::rmsprop_tf1_args<counting>{.size = size, .w = v.w, .g = v.g, .ms = v.s, .mom = v.t, .state = &state});
  operands f(17);
  v = vectors(f);
  prove(rp::adam_args<counting>{.size = size, .w = v.w, .g = v.g, .m = v.s, .v = v.t, .state = &state});
  operands g(18);
  v = vectors(g);
  prove(rp::adadelta_args<counting>{.size = size, .w = v.w, .g = v.g, .a = v.s, .d = v.t, .state = &state});
}

void prove_basic_ops(int first, int shapes) {
  witness::prove_all(first, shapes, prove_gemm, prove_dense, prove_activate, prove_add_and_dropout, prove_losses,
                     prove_updates);
}

}  // namespace

TEST_CASE("every receipt is what the definition executes, on 250 random shapes per op") { prove_basic_ops(0, 250); }
TEST_CASE("every receipt is what the definition executes, on 5000 random shapes per op" * doctest::test_suite("slow")) {
  prove_basic_ops(250, 5000);
}

TEST_CASE("receipts are constant expressions and reproduce published counts") {
  static_assert(rp::dense_forward_work<float>(1, 784, 512, {.bias = false}).matrix_flop ==
                2 * 401408);  // MNIST MLP, first layer
  static_assert(rp::adam_work<float>(1).bytes.total() == 28);
  static_assert(rp::momentum_work<float>(1).bytes.total() == 20);
  static_assert(rp::sgd_work<double>(10).bytes.total() == 240);
  static_assert(rp::rmsprop_tf1_work<float>(1).flop == 9);  // as a TPU's profiler counts it
  static_assert(rp::advance_work() == rp::work{});
  CHECK(true);
}
