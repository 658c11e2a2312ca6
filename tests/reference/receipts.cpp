// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/receipt_proof.hpp"

/// Checks every receipt against counted execution: the op's definition, run with a counting scalar.
namespace rp = ridgepoint;
using rp::index_t;
using witness::counting;
using witness::draw;
using witness::prove;
using witness::role;
using witness::store;

namespace {

/// Draws operands A, B and C: shared, at a stride, or at pointers from an array.
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

void prove_convert(draw d) {
  store o(22);
  const index_t size = d.extent(0, 200);
  prove(rp::convert_args<counting, counting>{.size = size, .x = o.add(size), .y = o.add(size)});
}

/// Draws an update of all weights, or of listed rows in any order, with entries that are not rows.
template <class Args>
void prove_update(draw d, const Args& drawn) {
  store o(7);
  const index_t rows = d.extent(1, 9), count = d.extent(0, 12), width = d.extent(1, 6);
  const bool listed = d.coin();
  std::vector<std::int32_t> list(static_cast<std::size_t>(count), -1);
  for (index_t k = 0; k < std::min(count, rows); ++k)
    list[static_cast<std::size_t>(k)] = static_cast<std::int32_t>((k + count) % rows);
  const rp::step_state state{.step = 2, .learning_rate = 0.1, .gradient_squares = 4};
  Args u = drawn;
  u.size = rows * width, u.w = o.add(u.size, role::weights), u.state = &state;
  u.g = o.add(listed ? count * width : u.size);
  if (listed) u.listed = {.rows = list.data(), .count = count, .width = width};
  if (d.coin()) u.rule = {.weight_decay = 0.5, .clip_value = 1e9, .clip_norm = 1};
  if constexpr (requires { u.a; }) u.a = o.add(u.size, role::weights);
  if constexpr (requires { u.d; }) u.d = o.add(u.size, role::weights);
  if constexpr (requires { u.m; }) u.m = o.add(u.size, role::weights), u.v = o.add(u.size, role::weights);
  if constexpr (requires { u.ms; }) u.ms = o.add(u.size, role::weights), u.mom = o.add(u.size, role::weights);
  prove(u, {.inputs = listed ? 4 * static_cast<std::uint64_t>(count) : 0});
}
void prove_updates(draw d) {
  prove_update(d, rp::sgd_update_args<counting>{});
  prove_update(d, rp::momentum_update_args<counting>{});
  prove_update(d, rp::rmsprop_keras_update_args<counting>{});
  prove_update(d, rp::rmsprop_tf1_update_args<counting>{});
  prove_update(d, rp::adam_update_args<counting>{});
  prove_update(d, rp::adadelta_update_args<counting>{});
}

void prove_cross_entropy(draw d) {
  store o(8);
  const index_t rows = d.extent(1, 6), classes = d.extent(1, 7);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(rows));
  for (std::int32_t& label : labels) label = static_cast<std::int32_t>(d.extent(0, classes - 1));
  rp::step_state state;
  prove(rp::softmax_cross_entropy_args<counting>{.logits = {o.add(rows * classes), rows, classes},
                                                 .labels = labels.data(),
                                                 .dlogits = {d.coin() ? o.add(rows * classes) : nullptr, rows, classes},
                                                 .state = &state,
                                                 .ignored = d.coin() ? -1 : rp::no_label},
        {.inputs = 4 * static_cast<std::uint64_t>(rows)});
}

void prove_basic_ops(int first, int shapes) {
  witness::prove_all(first, shapes, prove_gemm_batched, prove_packed, prove_convert, prove_updates,
                     prove_cross_entropy);
  witness::prove_others(first, shapes, rp::matrix_ops<counting>{});
}

}  // namespace

TEST_CASE("every receipt matches the work of the definition, on 250 random shapes per op") { prove_basic_ops(0, 250); }
TEST_CASE("every receipt matches the work of the definition, on 800 random shapes per op" *
          doctest::test_suite("slow")) {
  prove_basic_ops(250, 800);
}

TEST_CASE("receipts are constant expressions and reproduce published counts") {
  static_assert(receipt(rp::dense_args<float>{.x = {nullptr, 1, 784}, .w = {nullptr, 784, 512}, .y = {nullptr, 1, 512}})
                    .matrix_flop == 2 * 401408);  // MNIST MLP, first layer
  static_assert(receipt(rp::adam_update_args<float>{.size = 1}).bytes.total() == 28);
  static_assert(receipt(rp::momentum_update_args<float>{.size = 1}).bytes.total() == 20);
  static_assert(receipt(rp::sgd_update_args<double>{.size = 10}).bytes.total() == 240);
  static_assert(receipt(rp::rmsprop_tf1_update_args<float>{.size = 1}).flop == 9);  // as counted by a TPU's profiler
  static_assert(receipt(rp::advance_args{}) == rp::work{});
  CHECK(true);
}
