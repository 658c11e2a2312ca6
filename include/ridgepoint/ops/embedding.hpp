// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/core/dense_arguments.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i, ·) ← table(ids(i), ·).
template <scalar T>
struct embedding_args {
  static constexpr std::string_view name = "embedding";
  index_t tokens = 0, vocabulary = 0, width = 0;
  const std::int32_t* ids = nullptr;  // tokens
  const T* table = nullptr;           // (vocabulary, width)
  T* y = nullptr;                     // (tokens, width)
};

/// dtable(v, ·) ← Σ dy(i, ·) over the tokens with ids(i) = v, in order of i.
template <scalar T>
struct embedding_backward_args {
  static constexpr std::string_view name = "embedding_backward";
  index_t tokens = 0, vocabulary = 0, width = 0;
  const std::int32_t* ids = nullptr;
  const T* dy = nullptr;  // (tokens, width)
  T* dtable = nullptr;    // (vocabulary, width)
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const embedding_args<T>& a) noexcept {
  return std::array{operand::input("ids", a.ids, a.tokens),
                    operand::weight("table", a.table, a.vocabulary, a.width).counting(a.tokens, a.width),
                    operand::output("y", a.y, a.tokens, a.width)};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const embedding_backward_args<T>& a) noexcept {
  return std::array{operand::input("ids", a.ids, a.tokens), operand::input("dy", a.dy, a.tokens, a.width),
                    operand::output("dtable", a.dtable, a.vocabulary, a.width)};
}

/// Receipt of embedding(): no FLOP; reads 4 bytes an index (inputs) and a row of the table per token (weights), also
/// for repeated tokens, writes y.
template <scalar T>
[[nodiscard]] constexpr work receipt(const embedding_args<T>& a) noexcept {
  return {.bytes = traffic_of(operands(a))};
}
/// Receipt of embedding_backward(): one addition per element of dy; reads the indices and dy, writes dtable.
template <scalar T>
[[nodiscard]] constexpr work receipt(const embedding_backward_args<T>& a) noexcept {
  return {.flop = static_cast<std::uint64_t>(a.tokens * a.width), .bytes = traffic_of(operands(a))};
}

namespace detail {
/// Throws: value_error unless 0 < limit and every index below it fits 32 bits.
inline void check_index_limit(std::string_view op, std::string_view name, index_t limit) {
  require<value_error>(limit > 0 && limit <= 0x7FFFFFFF, op, ": ", name, " is ", limit, "; must be 1 to 2147483647");
}
/// Returns the number of tokens. Throws: shape_error unless each has a row of the table's width, and all are dense.
template <class Y, class Table>
[[nodiscard]] index_t tokens_of(std::string_view op, std::span<const std::int32_t> ids, std::string_view name,
                                const dense_operand<Y>& rows, const matrix_view<Table>& table) {
  const index_t count = rows.count(op, name), tokens = static_cast<index_t>(ids.size());
  require<shape_error>(count == tokens && rows.last() == table.cols, op, ": ", name, " is ", rows.extents, "; must be ",
                       tokens, " tokens by the table width, ", table.cols);
  require<shape_error>(tensor_view<Table, 2>(table).dense(), op, ": the table is ", table,
                       " with gaps or in another order; must be dense");
  return tokens;
}
}  // namespace detail

/// Throws: as embedding(), except for the indices, which it cannot read.
template <scalar T>
void check(const embedding_args<T>& a) {
  detail::check_index_limit("embedding", "vocabulary", a.vocabulary);
  check_operands(a);
}
/// Throws: as embedding_backward().
template <scalar T>
void check(const embedding_backward_args<T>& a) {
  detail::check_index_limit("embedding_backward", "vocabulary", a.vocabulary);
  check_operands(a);
}

/// y(i, ·) ← table(ids(i), ·): looks up rows of a table (vocabulary, width) by token. An index out of range gives a row
/// of NaN and is never dereferenced. y is dense, (tokens, width) or of more extents, such as (n, t, width).
/// Next: reference/embedding.hpp is the definition.
/// Work: receipt(embedding_args).
/// Throws: shape_error for extents that disagree, a null pointer or overlap; value_error unless 0 < vocabulary < 2³¹.
/// Example:
///   rp::embedding(on, ids, table, y);                            // std::vector<std::int32_t>, two tensors
template <class Backend, class C, class E = dense_element<C>>
work embedding(const Backend& on, std::span<const std::int32_t> ids, const matrix_in<E>& table, C&& y) {
  static_assert(runs<Backend, embedding_args<E>, E>,
                "embedding: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "embedding: y must be mutable and of float or double: a tensor, a tensor_view or a matrix_view");
  const dense_operand<E> to = dense_output<E>(y);
  return detail::run_checked<E>(on, embedding_args<E>{.tokens = detail::tokens_of("embedding", ids, "y", to, table),
                                                      .vocabulary = table.rows,
                                                      .width = table.cols,
                                                      .ids = ids.data(),
                                                      .table = table.data,
                                                      .y = to.data});
}
/// dtable ← the gradient of embedding() for the table, zero for unused rows. Sums are in the order of the tokens for
/// any number of threads. An index out of range adds nothing.
/// Work: receipt(embedding_backward_args). Throws: as embedding().
/// Example:
///   rp::embedding_backward(on, ids, dy, dtable);
template <class Backend, class C, class E = matrix_element<C, deduced>>
work embedding_backward(const Backend& on, std::span<const std::int32_t> ids, const dense_in<E>& dy, C&& dtable) {
  static_assert(runs<Backend, embedding_backward_args<E>, E>,
                "embedding_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "embedding_backward: dtable must be a mutable matrix of float or double: a tensor or a matrix_view");
  const matrix_view<E> to = matrix_output<E>(dtable);
  return detail::run_checked<E>(
      on, embedding_backward_args<E>{.tokens = detail::tokens_of("embedding_backward", ids, "dy", dy, to),
                                     .vocabulary = to.rows,
                                     .width = to.cols,
                                     .ids = ids.data(),
                                     .dy = dy.data,
                                     .dtable = to.data});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
