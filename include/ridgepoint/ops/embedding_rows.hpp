// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/embedding.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The gradient of embedding() as a list of rows: rows(k) ← the k-th smallest distinct id,
/// sums(k, ·) ← Σ dy(i, ·) over the tokens with ids(i) = rows(k), in order of i. After the last one, rows are −1 and
/// sums 0.
template <scalar T>
struct embedding_rows_args {
  static constexpr std::string_view name = "embedding_rows";
  index_t tokens = 0, vocabulary = 0, width = 0;
  const std::int32_t* ids = nullptr;  // tokens
  const T* dy = nullptr;              // (tokens, width)
  std::int32_t* rows = nullptr;       // tokens
  T* sums = nullptr;                  // (tokens, width)
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const embedding_rows_args<T>& a) noexcept {
  return std::array{operand::input("ids", a.ids, a.tokens), operand::input("dy", a.dy, a.tokens, a.width),
                    operand::output("rows", a.rows, a.tokens), operand::output("sums", a.sums, a.tokens, a.width)};
}

/// Receipt of embedding_rows(), for any ids: one addition per element of dy; reads the indices and dy, writes equally
/// many indices and sums. Sorting is not counted.
template <scalar T>
[[nodiscard]] constexpr work receipt(const embedding_rows_args<T>& a) noexcept {
  return {.flop = static_cast<std::uint64_t>(a.tokens * a.width), .bytes = traffic_of(operands(a))};
}

/// Throws: as embedding_rows().
template <scalar T>
void check(const embedding_rows_args<T>& a) {
  detail::check_index_limit("embedding_rows", "vocabulary", a.vocabulary);
  require<value_error>(a.tokens <= 0x7FFFFFFF, "embedding_rows: tokens is ", a.tokens, "; must be at most 2147483647");
  check_operands(a);
}

/// Computes the gradient of embedding() for the used rows of its table, and lists those rows. An optimiser updates them
/// with `.listed = {rows, tokens, width}` in time that depends on the tokens, not on the vocabulary. rows are
/// ascending, and −1 after the last one; sums are in the order of the tokens for any number of threads. An index out of
/// range is ignored. sums is dense, (tokens, width) or of more extents, as dy.
/// Next: reference/embedding.hpp is the definition, cpu/embedding.hpp the fast one.
/// Work: receipt(embedding_rows_args).
/// Throws: shape_error for extents that disagree, a null pointer or overlap; value_error unless 0 < vocabulary < 2³¹
/// and tokens < 2³¹.
/// Example:
///   rp::embedding_rows(on, ids, dy, vocabulary, rows, sums);     // std::vector<std::int32_t>, two tensors
template <class Backend, class C, class E = dense_element<C>>
work embedding_rows(const Backend& on, std::span<const std::int32_t> ids, const dense_in<E>& dy, index_t vocabulary,
                    std::span<std::int32_t> rows, C&& sums) {
  static_assert(runs<Backend, embedding_rows_args<E>, E>,
                "embedding_rows: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(
      has_output<Backend, E>,
      "embedding_rows: sums must be mutable and of float or double: a tensor, a tensor_view or a matrix_view");
  const dense_operand<E> to = dense_output<E>(sums);
  const auto tokens = static_cast<index_t>(ids.size());
  const index_t given = dy.count("embedding_rows", "dy"), wanted = to.count("embedding_rows", "sums");
  require<shape_error>(given == tokens && wanted == tokens && dy.last() == to.last(), "embedding_rows: dy is ",
                       dy.extents, ", sums is ", to.extents, "; must be ", tokens, " tokens by one width");
  require<shape_error>(rows.size() == ids.size(), "embedding_rows: rows has ", rows.size(), " elements; must have ",
                       tokens);
  return detail::run_checked<E>(on, embedding_rows_args<E>{.tokens = tokens,
                                                           .vocabulary = vocabulary,
                                                           .width = to.last(),
                                                           .ids = ids.data(),
                                                           .dy = dy.data,
                                                           .rows = rows.data(),
                                                           .sums = to.data});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
