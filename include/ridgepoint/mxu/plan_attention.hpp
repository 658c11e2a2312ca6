// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/plan_recurrent.hpp>

/// \file
/// modelled() for attention: a loop over the heads of all samples, each a product of queries and keys and one of
/// weights and values, in turn. What is hidden by a diagonal is computed: the array knows no triangles.
namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {
namespace detail {

/// One product of a head; both operands are activations.
[[nodiscard]] inline modelled_op head_product(const chip& on, index_t m, index_t k, index_t n, const char* name,
                                              pass which, const work& beside) {
  const index_t width = on.operand_bytes;
  return product(
      on, {.m = m, .k = k, .n = n, .a_bytes = width, .b_bytes = width, .c_bytes = width, .name = name, .pass = which},
      beside);
}
}  // namespace detail

inline modelled_op modelled(const chip& on, const attention_args<float>& a) {
  const attention_geometry g = a.geometry();
  constexpr pass which = pass::forward;
  if (g.n == 0 || g.seeing() == 0) return detail::nothing("attention", which);
  const index_t heads = g.n * g.heads;
  modelled_op op = detail::in_turn(on,
                                   detail::head_product(on, g.queries, g.width, g.keys, "attention", which,
                                                        detail::beside_products(receipt(a), heads)),
                                   detail::head_product(on, g.queries, g.keys, g.width, "attention", which, {}));
  op.repeat = static_cast<std::uint64_t>(heads);
  return op;
}
inline modelled_op modelled(const chip& on, const attention_backward_args<float>& a) {
  const attention_geometry g = a.geometry();
  constexpr pass which = pass::backward_data;
  constexpr const char* name = "attention_backward";
  if (g.n == 0 || g.seeing() == 0) return detail::nothing(name, which);
  const index_t heads = g.n * g.heads;
  const auto of = [&](index_t m, index_t k, index_t n, const work& beside = {}) {
    return detail::head_product(on, m, k, n, name, which, beside);
  };
  modelled_op op = of(g.queries, g.width, g.keys, detail::beside_products(receipt(a), heads));  // scores
  op = detail::in_turn(on, op, of(g.queries, g.width, g.keys));                                 // dy·vᵀ
  op = detail::in_turn(on, op, of(g.keys, g.queries, g.width));                                 // dv
  op = detail::in_turn(on, op, of(g.keys, g.queries, g.width));                                 // dk
  op = detail::in_turn(on, op, of(g.queries, g.keys, g.width));                                 // dq
  op.repeat = static_cast<std::uint64_t>(heads);
  return op;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu
