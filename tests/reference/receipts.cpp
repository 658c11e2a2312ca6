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
using witness::prove;
using witness::role;
using witness::store;

namespace {

void prove_gemm(draw d) {
  store o(1);
  const index_t m = d.extent(0, 9), n = d.extent(0, 9), k = d.extent(1, 9);
  const rp::matrix_view<counting> a(o.add(m * k), k, m), b(o.add(k * n, role::weights), k, n), c(o.add(m * n), m, n);
  const double betas[] = {0, 1, 0.5};
  const rp::gemm_options<counting> options{.alpha = counting(d.coin() ? 1 : 0.5),
                                           .beta = counting(betas[d.extent(0, 2)]),
                                           .bias = d.coin() && m > 0 ? o.add(n, role::weights) : nullptr,
                                           .act = rp::activation::none};
  prove(rp::gemm_args<counting>{.a = a.transposed(), .b = b, .c = c, .options = options});
}

/// Operands of A, B and C that are shared, some elements apart, or wherever an array of pointers says.
void prove_gemm_batched(draw d) {
  store o(19);
  const index_t m = d.extent(0, 5), n = d.extent(0, 5), k = d.extent(1, 5), count = d.extent(0, 4),
                gap = d.extent(0, 3);
  rp::gemm_batched_args<counting> g{.first = {}, .count = count};
  std::vector<const counting*> a, b;
  std::vector<counting*> c;
  if (d.coin()) {
    for (index_t q = 0; q < count; ++q) a.push_back(o.add(m * k));
    g.a_at = a.data(), g.first.a = {nullptr, m, k};
  } else {
    g.a_step = d.coin() ? 0 : m * k + gap;
    g.first.a = {o.add(m * k + 3 * g.a_step), m, k};
  }
  if (d.coin()) {
    for (index_t q = 0; q < count; ++q) b.push_back(o.add(k * n, role::weights));
    g.b_at = b.data(), g.first.b = {nullptr, k, n};
  } else {
    g.b_step = d.coin() ? 0 : k * n + gap;
    g.first.b = {o.add(k * n + 3 * g.b_step, role::weights), k, n};
  }
  if (d.coin()) {
    for (index_t q = 0; q < count; ++q) c.push_back(o.add(m * n));
    g.c_at = c.data(), g.first.c = {nullptr, m, n};
  } else {
    g.c_step = m * n + gap;
    g.first.c = {o.add(m * n + 3 * g.c_step), m, n};
  }
  const double betas[] = {0, 1, 0.5};
  g.first.options = {.alpha = counting(d.coin() ? 1 : 0.5),
                     .beta = counting(betas[d.extent(0, 2)]),
                     .bias = d.coin() && m > 0 ? o.add(n, role::weights) : nullptr,
                     .act = rp::activation::none};
  prove(g);
}

void prove_packed(draw d) {
  const index_t m = d.extent(0, 9), n = d.extent(0, 9), k = d.extent(1, 9);
  {
    store o(20);
    const rp::matrix_view<counting> turned(o.add(k * n, role::weights), n, k);
    index_t elements = 0;
    prove(rp::pack_b_args<counting>{.b = turned.transposed(), .elements = &elements});
    CHECK(elements == k * n);
    prove(rp::pack_b_args<counting>{.b = turned.transposed(), .packed = o.add(elements)});
  }
  store o(21);
  prove(rp::gemm_packed_args<counting>{.a = {o.add(m * k), m, k},
                                       .packed = o.add(k * n, role::weights),
                                       .c = {o.add(m * n), m, n},
                                       .options = {.alpha = counting(d.coin() ? 1 : 0.5),
                                                   .beta = counting(d.coin() ? 0 : 0.5),
                                                   .bias = d.coin() && m > 0 ? o.add(n, role::weights) : nullptr,
                                                   .act = rp::activation::none}});
}

void prove_dense(draw d) {
  const index_t n = d.extent(0, 9), in = d.extent(1, 9), out = d.extent(1, 9);
  const rp::activation fusable[] = {rp::activation::none, rp::activation::relu, rp::activation::sigmoid,
                                    rp::activation::tanh};
  {
    store o(2);
    prove(rp::dense_args<counting>{.x = {o.add(n * in), n, in},
                                   .w = {o.add(in * out, role::weights), in, out},
                                   .bias = d.coin() ? o.add(out, role::weights) : nullptr,
                                   .y = {o.add(n * out), n, out},
                                   .act = fusable[d.extent(0, 3)]});
  }
  {
    store o(3);
    prove(rp::dense_backward_data_args<counting>{
        .dy = {o.add(n * out), n, out}, .w = {o.add(in * out, role::weights), in, out}, .dx = {o.add(n * in), n, in}});
  }
  store o(4);
  prove(rp::dense_backward_weights_args<counting>{.x = {o.add(n * in), n, in},
                                                  .dy = {o.add(n * out), n, out},
                                                  .dw = {o.add(in * out), in, out},
                                                  .db = d.coin() ? o.add(out) : nullptr});
}

void prove_activate(draw d) {
  const index_t size = d.extent(0, 200);
  const rp::activation f = d.activation(rp::activation_count);
  {
    store o(5);
    counting* x = o.add(size);
    prove(rp::activate_args<counting>{.f = f, .size = size, .x = x, .y = d.coin() ? x : o.add(size)});
  }
  store o(6);
  counting* dy = o.add(size);
  prove(rp::activate_backward_args<counting>{
      .f = f, .size = size, .y = o.add(size), .dy = dy, .dx = d.coin() ? dy : o.add(size)});
}

void prove_add_and_dropout(draw d) {
  const index_t size = d.extent(0, 200);
  rp::step_state state;
  {
    store o(7);
    prove(rp::add_args<counting>{.size = size, .a = o.add(size), .b = o.add(size), .y = o.add(size)});
  }
  store o(8);
  prove(rp::dropout_args<counting>{
      .size = size, .x = o.add(size), .y = o.add(size), .rate = counting(0.25), .state = &state});
}

void prove_losses(draw d) {
  const index_t rows = d.extent(1, 12), cols = d.extent(1, 20), size = d.extent(1, 200);
  rp::step_state state;
  {
    store o(9);
    prove(rp::softmax_args<counting>{.x = {o.add(rows * cols), rows, cols}, .y = {o.add(rows * cols), rows, cols}});
  }
  {
    store o(10);
    std::vector<std::int32_t> labels;
    for (index_t i = 0; i < rows; ++i) labels.push_back(static_cast<std::int32_t>(d.extent(0, cols - 1)));
    prove(rp::softmax_cross_entropy_args<counting>{.logits = {o.add(rows * cols), rows, cols},
                                                   .labels = labels.data(),
                                                   .dlogits = {d.coin() ? o.add(rows * cols) : nullptr, rows, cols},
                                                   .state = &state},
          {.inputs = labels.size() * sizeof labels[0]});  // each label is read; it is no counting scalar
  }
  {
    store o(11);
    prove(rp::mse_args<counting>{.y = o.add(size),
                                 .target = o.add(size),
                                 .dy = d.coin() ? o.add(size) : nullptr,
                                 .size = size,
                                 .state = &state});
  }
  store o(12);
  prove(rp::binary_cross_entropy_args<counting>{
      .y = o.add(size), .target = o.add(size), .dy = d.coin() ? o.add(size) : nullptr, .size = size, .state = &state});
}

void prove_updates(draw d) {
  const index_t size = d.extent(0, 200);
  const rp::step_state state{.step = 3, .learning_rate = 0.1};
  // The vectors in the order w, g, then the optimiser's own.
  const auto vectors = [&](store& o) {
    struct {
      counting *w, *g, *s, *t;
    } v{o.add(size, role::weights), o.add(size), o.add(size, role::weights), o.add(size, role::weights)};
    return v;
  };
  store a(13);
  auto v = vectors(a);
  prove(rp::sgd_update_args<counting>{.size = size, .w = v.w, .g = v.g, .state = &state});
  store b(14);
  v = vectors(b);
  prove(rp::momentum_update_args<counting>{.size = size, .w = v.w, .g = v.g, .a = v.s, .state = &state});
  store c(15);
  v = vectors(c);
  prove(rp::rmsprop_keras_update_args<counting>{.size = size, .w = v.w, .g = v.g, .a = v.s, .state = &state});
  store e(16);
  v = vectors(e);
  prove(
      rp::rmsprop_tf1_update_args<counting>{.size = size, .w = v.w, .g = v.g, .ms = v.s, .mom = v.t, .state = &state});
  store f(17);
  v = vectors(f);
  prove(rp::adam_update_args<counting>{.size = size, .w = v.w, .g = v.g, .m = v.s, .v = v.t, .state = &state});
  store g(18);
  v = vectors(g);
  prove(rp::adadelta_update_args<counting>{.size = size, .w = v.w, .g = v.g, .a = v.s, .d = v.t, .state = &state});
}

void prove_basic_ops(int first, int shapes) {
  witness::prove_all(first, shapes, prove_gemm, prove_gemm_batched, prove_packed, prove_dense, prove_activate,
                     prove_add_and_dropout, prove_losses, prove_updates);
  CHECK(witness::all_proven(rp::matrix_ops<counting>{}));
}

}  // namespace

TEST_CASE("every receipt is what the definition executes, on 250 random shapes per op") { prove_basic_ops(0, 250); }
TEST_CASE("every receipt is what the definition executes, on 5000 random shapes per op" * doctest::test_suite("slow")) {
  prove_basic_ops(250, 5000);
}

TEST_CASE("receipts are constant expressions and reproduce published counts") {
  static_assert(rp::dense_work<float>(1, 784, 512, {.bias = false}).matrix_flop ==
                2 * 401408);  // MNIST MLP, first layer
  static_assert(rp::adam_update_work<float>(1).bytes.total() == 28);
  static_assert(rp::momentum_update_work<float>(1).bytes.total() == 20);
  static_assert(rp::sgd_update_work<double>(10).bytes.total() == 240);
  static_assert(rp::rmsprop_tf1_update_work<float>(1).flop == 9);  // as a TPU's profiler counts it
  static_assert(rp::advance_work() == rp::work{});
  CHECK(true);
}
