// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/check_operands.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// ids(i) ← x(i) as an integer; −1 where it is none in [0, limit): tokens that arrive as elements of T.
template <scalar T>
struct to_indices_args {
  index_t size = 0, limit = 0;
  const T* x = nullptr;
  std::int32_t* ids = nullptr;
};

/// y(i, ·) ← table(ids(i), ·).
template <scalar T>
struct embedding_args {
  index_t tokens = 0, vocabulary = 0, width = 0;
  const std::int32_t* ids = nullptr;  // tokens
  const T* table = nullptr;           // (vocabulary, width)
  T* y = nullptr;                     // (tokens, width)
};

/// dtable(v, ·) ← Σ dy(i, ·) over the tokens with ids(i) = v, in order of i.
template <scalar T>
struct embedding_backward_args {
  index_t tokens = 0, vocabulary = 0, width = 0;
  const std::int32_t* ids = nullptr;
  const T* dy = nullptr;  // (tokens, width)
  T* dtable = nullptr;    // (vocabulary, width)
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const to_indices_args<T>& a) noexcept {
  return std::array{operand::input("x", a.x, a.size), operand::output("ids", a.ids, a.size)};
}
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

template <scalar T>
[[nodiscard]] constexpr work receipt(const to_indices_args<T>& a) noexcept {
  return {.bytes = traffic_of(operands(a))};
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const embedding_args<T>& a) noexcept {
  return {.bytes = traffic_of(operands(a))};
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const embedding_backward_args<T>& a) noexcept {
  return {.flop = static_cast<std::uint64_t>(a.tokens * a.width), .bytes = traffic_of(operands(a))};
}
/// Receipt of to_indices(): no FLOP; reads x, writes 4 bytes an index.
template <scalar T>
[[nodiscard]] constexpr work to_indices_work(index_t size) noexcept {
  return receipt(to_indices_args<T>{.size = size});
}
/// Receipt of embedding(): no FLOP; reads 4 bytes an index (inputs) and a row of the table per token (weights), also
/// where tokens repeat, writes y.
template <scalar T>
[[nodiscard]] constexpr work embedding_work(index_t tokens, index_t width) noexcept {
  return receipt(embedding_args<T>{.tokens = tokens, .width = width});
}
/// Receipt of embedding_backward(): one addition per element of dy; reads the indices and dy, writes dtable.
template <scalar T>
[[nodiscard]] constexpr work embedding_backward_work(index_t tokens, index_t vocabulary, index_t width) noexcept {
  return receipt(embedding_backward_args<T>{.tokens = tokens, .vocabulary = vocabulary, .width = width});
}

namespace detail {
/// Throws: value_error unless every index below `limit` fits 32 bits and there is one.
inline void check_index_limit(std::string_view op, std::string_view name, index_t limit) {
  require<value_error>(limit > 0 && limit <= 0x7FFFFFFF, op, ": ", name, " is ", limit, "; must be 1 to 2147483647");
}
}  // namespace detail

/// Throws: where to_indices() does.
template <scalar T>
void check(const to_indices_args<T>& a) {
  detail::check_index_limit("to_indices", "limit", a.limit);
  check_operands("to_indices", operands(a));
}
/// Throws: where embedding() does, but for the indices, which it can not read.
template <scalar T>
void check(const embedding_args<T>& a) {
  detail::check_index_limit("embedding", "vocabulary", a.vocabulary);
  check_operands("embedding", operands(a));
}
/// Throws: where embedding_backward() does.
template <scalar T>
void check(const embedding_backward_args<T>& a) {
  detail::check_index_limit("embedding_backward", "vocabulary", a.vocabulary);
  check_operands("embedding_backward", operands(a));
}

/// ids ← x as integers: how token numbers that are fed as elements of T reach embedding(). What is no integer in
/// [0, limit) becomes −1.
/// Next: reference/embedding.hpp is the definition. Work: to_indices_work(size).
/// Throws: shape_error for a null pointer or overlap; value_error unless 0 < limit < 2³¹.
template <scalar T, class Backend>
work to_indices(const Backend& on, const to_indices_args<T>& args) {
  static_assert(runs<Backend, to_indices_args<T>>,
                "to_indices: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, args);
}

/// y(i, ·) ← table(ids(i), ·): the rows of a table (vocabulary, width) that the tokens name. An index out of range
/// gives a row of NaN and is never followed.
/// Next: reference/embedding.hpp is the definition.
/// Work: embedding_work(tokens, width).
/// Throws: shape_error for a negative extent, a null pointer or overlap; value_error unless 0 < vocabulary < 2³¹.
/// Example:
///   rp::embedding(on, rp::embedding_args<float>{.tokens = n * t, .vocabulary = 512, .width = 100, .ids = ids,
///                                                       .table = table, .y = y});
template <scalar T, class Backend>
work embedding(const Backend& on, const embedding_args<T>& args) {
  static_assert(runs<Backend, embedding_args<T>>,
                "embedding: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, args);
}
/// dtable ← the gradient of embedding() for the table, zero where no token points. The order of the sum is the order of
/// the tokens whatever the threads. An index out of range adds nothing.
/// Work: embedding_backward_work(tokens, vocabulary, width). Throws: as embedding().
template <scalar T, class Backend>
work embedding_backward(const Backend& on, const embedding_backward_args<T>& args) {
  static_assert(runs<Backend, embedding_backward_args<T>>,
                "embedding_backward: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
