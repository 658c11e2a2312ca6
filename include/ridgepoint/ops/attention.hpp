// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

#include <ridgepoint/core/dense_arguments.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Keys visible to a query, and the factor of the products of queries and keys.
struct attention_options {
  bool causal = false;  // query i of sq sees key j of sk only where j ≤ i + sk − sq: the last query sees all keys
  double scale = 0;     // 0: 1/√width; else finite
};

/// Extents of attention and the number of keys visible to its queries.
struct attention_geometry {
  index_t n = 0, queries = 0, keys = 0, heads = 0, width = 0;
  bool causal = false;

  /// Returns the number of keys present in sample i: all, or its length.
  [[nodiscard]] constexpr index_t there(const std::int32_t* lengths, index_t i) const noexcept {
    return lengths == nullptr ? keys : std::clamp<index_t>(lengths[i], 0, keys);
  }
  /// Returns how many of the first `all` keys query i sees: the keys before this index.
  [[nodiscard]] constexpr index_t seen(index_t i, index_t all) const noexcept {
    return causal ? std::clamp<index_t>(i + 1 + keys - queries, 0, all) : all;
  }
  /// Returns the first query that sees key j.
  [[nodiscard]] constexpr index_t first_query(index_t j) const noexcept {
    return causal ? std::max<index_t>(0, j + queries - keys) : 0;
  }
  /// Returns the number of queries that see at least one key.
  [[nodiscard]] constexpr index_t seeing() const noexcept {
    return keys == 0 ? 0 : causal ? (std::min)(queries, keys) : queries;
  }
  /// Returns the number of keys that at least one query sees.
  [[nodiscard]] constexpr index_t seen_keys() const noexcept { return queries == 0 ? 0 : keys; }
  /// Counts pairs of a query and a visible key, in all heads of all samples.
  [[nodiscard]] constexpr index_t pairs() const noexcept {
    const index_t rows = seeing(), hidden = causal ? rows * (rows - 1) / 2 : 0;  // a triangle above the diagonal
    return n * heads * (rows * keys - hidden);
  }
  friend constexpr bool operator==(const attention_geometry&, const attention_geometry&) = default;
};

/// A non-owning view of the heads of a batch of sequences: element (n, step, head, c) with a stride for each.
template <class T>
struct heads_view {
  T* data = nullptr;
  std::array<index_t, 4> extents{}, strides{};

  constexpr heads_view() = default;
  /// Constructs a dense view.
  constexpr heads_view(T* data_, const std::array<index_t, 4>& extents_) noexcept
      : heads_view(data_, extents_,
                   {extents_[1] * extents_[2] * extents_[3], extents_[2] * extents_[3], extents_[3], 1}) {}
  constexpr heads_view(T* data_, const std::array<index_t, 4>& extents_,
                       const std::array<index_t, 4>& strides_) noexcept
      : data(data_), extents(extents_), strides(strides_) {}
  constexpr operator heads_view<const T>() const noexcept requires(!std::is_const_v<T>) {
    return {data, extents, strides};
  }
  [[nodiscard]] constexpr T& operator()(index_t n, index_t step, index_t head, index_t c) const noexcept {
    return data[n * strides[0] + step * strides[1] + head * strides[2] + c * strides[3]];
  }
  /// Returns rows of one head of one sample, as a matrix.
  [[nodiscard]] constexpr matrix_view<T> head(index_t n, index_t h, index_t first, index_t rows) const noexcept {
    return {data + n * strides[0] + first * strides[1] + h * strides[2], rows, extents[3], strides[1]};
  }
};

/// y(i) ← Σ_j p(i, j)·v(j) with p(i, ·) = softmax(scale·q(i)·k(·)) over the keys that query i sees, head by head.
template <scalar T>
struct attention_args {
  static constexpr std::string_view name = "attention";
  static constexpr product_kind product = product_kind::dense;
  attention_options options = {};
  heads_view<const T> q;                  // (n, queries, heads, width), as y; the width is contiguous
  heads_view<const T> k, v;               // (n, keys, heads, width)
  const std::int32_t* lengths = nullptr;  // n: number of keys present in each sample; null: all
  heads_view<T> y;
  T* log_sums = nullptr;  // (n, heads, queries): ln Σ_j e^(scale·q·k), for the backward pass; null: not written

  [[nodiscard]] constexpr attention_geometry geometry() const noexcept {
    return {q.extents[0], q.extents[1], k.extents[1], q.extents[2], q.extents[3], options.causal};
  }
};

/// The gradients of attention() for q, k and v.
template <scalar T>
struct attention_backward_args {
  static constexpr std::string_view name = "attention_backward";
  static constexpr product_kind product = product_kind::dense;
  attention_options options = {};
  heads_view<const T> q, k, v;  // as in the forward pass
  const std::int32_t* lengths = nullptr;
  heads_view<const T> y;  // as written by attention()
  const T* log_sums = nullptr;
  heads_view<const T> dy;
  heads_view<T> dq, dk, dv;

  [[nodiscard]] constexpr attention_geometry geometry() const noexcept {
    return {q.extents[0], q.extents[1], k.extents[1], q.extents[2], q.extents[3], options.causal};
  }
};

namespace detail {
template <class T>
[[nodiscard]] constexpr operand heads_input(std::string_view name, const heads_view<const T>& x,
                                            index_t rows) noexcept {
  const auto& [n, steps, heads, width] = x.extents;
  return operand::input(name, x.data, n, steps, heads, width)
      .strided(x.strides[0], x.strides[1], x.strides[2], x.strides[3])
      .counting(n, rows, heads, width);
}
template <class T>
[[nodiscard]] constexpr operand heads_output(std::string_view name, const heads_view<T>& x) noexcept {
  const auto& [n, steps, heads, width] = x.extents;
  return operand::output(name, x.data, n, steps, heads, width)
      .strided(x.strides[0], x.strides[1], x.strides[2], x.strides[3]);
}
}  // namespace detail

template <scalar T>
[[nodiscard]] constexpr auto operands(const attention_args<T>& a) noexcept {
  const attention_geometry g = a.geometry();
  return std::array{detail::heads_input("q", a.q, g.seeing()),
                    detail::heads_input("k", a.k, g.seen_keys()),
                    detail::heads_input("v", a.v, g.seen_keys()),
                    operand::input("lengths", a.lengths, g.n).optional(),
                    detail::heads_output("y", a.y),
                    operand::output("log_sums", a.log_sums, g.n, g.heads, g.queries).optional()};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const attention_backward_args<T>& a) noexcept {
  const attention_geometry g = a.geometry();
  return std::array{detail::heads_input("q", a.q, g.seeing()),
                    detail::heads_input("k", a.k, g.seen_keys()),
                    detail::heads_input("v", a.v, g.seen_keys()),
                    operand::input("lengths", a.lengths, g.n).optional(),
                    detail::heads_input("y", a.y, g.seeing()),
                    operand::input("log_sums", a.log_sums, g.n, g.heads, g.queries).counting(g.n, g.heads, g.seeing()),
                    detail::heads_input("dy", a.dy, g.seeing()),
                    detail::heads_output("dq", a.dq),
                    detail::heads_output("dk", a.dk),
                    detail::heads_output("dv", a.dv)};
}

/// Receipt of attention(): per pair of a query and a visible key 4·width matrix FLOP, 4 FLOP (scale, largest,
/// difference, sum) and one special; per query that sees a key `width` FLOP and one special, and one of each for
/// log_sums. Keys beyond a sample's length count like padding: as work.
template <scalar T>
[[nodiscard]] constexpr work receipt(const attention_args<T>& a) noexcept {
  const attention_geometry g = a.geometry();
  const auto pairs = static_cast<std::uint64_t>(g.pairs()), d = static_cast<std::uint64_t>(g.width),
             rows = static_cast<std::uint64_t>(g.n * g.heads * g.seeing());
  const std::uint64_t kept = a.log_sums != nullptr ? rows : 0;
  return {.flop = 4 * pairs * d + 4 * pairs + rows * d + kept,
          .matrix_flop = 4 * pairs * d,
          .special = pairs + rows + kept,
          .bytes = traffic_of(operands(a))};
}
/// Receipt of attention_backward(): per pair 10·width matrix FLOP (five products), 5 FLOP and one special; per query
/// that sees a key 2·width FLOP, for the product of dy and y.
template <scalar T>
[[nodiscard]] constexpr work receipt(const attention_backward_args<T>& a) noexcept {
  const attention_geometry g = a.geometry();
  const auto pairs = static_cast<std::uint64_t>(g.pairs()), d = static_cast<std::uint64_t>(g.width),
             rows = static_cast<std::uint64_t>(g.n * g.heads * g.seeing());
  return {.flop = 10 * pairs * d + 5 * pairs + 2 * rows * d,
          .matrix_flop = 10 * pairs * d,
          .special = pairs,
          .bytes = traffic_of(operands(a))};
}

namespace detail {
/// Returns the factor of the products of queries and keys.
[[nodiscard]] inline double scale_of(const attention_options& options, const attention_geometry& g) noexcept {
  return exactly(options.scale, 0) ? 1 / std::sqrt(static_cast<double>(g.width)) : options.scale;
}
/// Throws: shape_error unless a tensor of heads has this number of steps and otherwise the extents of q.
template <class T>
void check_heads(std::string_view op, std::string_view name, const heads_view<T>& x, const attention_geometry& g,
                 index_t rows) {
  require<shape_error>(x.extents == std::array{g.n, rows, g.heads, g.width}, op, ": ", name, " is ", x.extents[0], 'x',
                       x.extents[1], 'x', x.extents[2], 'x', x.extents[3], "; must be ", g.n, 'x', rows, 'x', g.heads,
                       'x', g.width, " (n x steps x heads x width)");
}
template <class Args>
void check_attention(std::string_view op, const Args& a) {
  const attention_geometry g = a.geometry();
  require<value_error>(std::isfinite(a.options.scale), op, ": scale is ", a.options.scale, "; must be finite");
  require<shape_error>(g.n >= 0 && g.queries >= 0 && g.keys >= 0 && g.heads > 0 && g.width > 0, op, ": q is ", g.n, 'x',
                       g.queries, 'x', g.heads, 'x', g.width, ", k has ", g.keys,
                       " steps; heads and width must be > 0, the others >= 0");
  static_cast<void>(checked_mul(
      checked_mul(checked_mul(checked_mul(std::max<index_t>(g.n, 1), g.heads), (std::max)(g.queries, g.keys)),
                  (std::max)(g.queries, g.keys)),
      checked_mul(g.width, 32)));
  check_heads(op, "k", a.k, g, g.keys);
  check_heads(op, "v", a.v, g, g.keys);
  check_heads(op, "y", a.y, g, g.queries);
}
}  // namespace detail

/// Throws: as attention().
template <scalar T>
void check(const attention_args<T>& a) {
  detail::check_attention("attention", a);
  check_operands(a);
}
/// Throws: as attention_backward().
template <scalar T>
void check(const attention_backward_args<T>& a) {
  constexpr std::string_view op = attention_backward_args<T>::name;
  detail::check_attention(op, a);
  const attention_geometry g = a.geometry();
  detail::check_heads(op, "dy", a.dy, g, g.queries);
  detail::check_heads(op, "dq", a.dq, g, g.queries);
  detail::check_heads(op, "dk", a.dk, g, g.keys);
  detail::check_heads(op, "dv", a.dv, g, g.keys);
  check_operands(op, a);
}

/// Optional inputs and outputs of attention() in addition to y.
template <class T>
struct attention_with {
  std::span<const std::int32_t> lengths = {};  // n: keys present in each sample, 0 to keys; empty: all
  tensor_view<T, 3> log_sums = {};             // (n, heads, queries), for the backward pass
};
/// Optional inputs of attention_backward().
struct attention_backward_with {
  std::span<const std::int32_t> lengths = {};
};

namespace detail {
template <class T>
[[nodiscard]] constexpr heads_view<T> heads_of(const tensor_view<T, 4>& x) noexcept {
  return {x.data, x.extents, x.strides};
}
/// Throws: shape_error unless there is a length for each sample, or none; value_error for one outside 0 to keys.
template <class Backend>
[[nodiscard]] const std::int32_t* lengths_of(std::string_view op, std::span<const std::int32_t> lengths,
                                             const attention_geometry& g) {
  require<shape_error>(lengths.empty() || static_cast<index_t>(lengths.size()) == g.n, op, ": lengths has ",
                       lengths.size(), " elements; must have ", g.n, " or none");
  if constexpr (in_host_memory<Backend>)
    for (std::size_t i = 0; i < lengths.size(); ++i)
      require<value_error>(lengths[i] >= 0 && lengths[i] <= g.keys, op, ": length ", i, " is ", lengths[i],
                           "; must be 0 to ", g.keys);
  return lengths.empty() ? nullptr : lengths.data();
}
}  // namespace detail

/// y(n, i, h, ·) ← Σ_j p(i, j)·v(n, j, h, ·), the weights p(i, ·) = softmax(scale·q(n, i, h, ·)·k(n, j, h, ·)) over the
/// keys j that query i sees: all, or with `causal` j ≤ i + keys − queries, and only the first `lengths` of each sample.
/// A query that sees no key gives zeros, and −∞ as its logarithm.
///
/// q and y are (n, queries, heads, width), k and v (n, keys, heads, width): tensors, or views with strides, so that
/// adjacent projections of q, k and v are read in place. Nothing of queries × keys elements is stored.
/// Non-finite values in a key or value hidden from a causal query may still reach it.
/// Next: reference/attention.hpp is the definition, cpu/attention.hpp the fast one.
/// Work: 4·width matrix FLOP of each visible pair; see receipt().
/// Throws: shape_error for extents that disagree, a null pointer or operands that overlap; value_error for a scale that
/// is not finite.
/// Source: Vaswani et al., Attention Is All You Need, arXiv:1706.03762; Dao et al., FlashAttention, arXiv:2205.14135.
/// Example:
///   rp::attention(on, q, k, v, y, {.causal = true}, {.log_sums = log_sums});
template <class Backend, class C, class E = tensor_element<C, 4>>
work attention(const Backend& on, const tensor_in<E, 4>& q, const tensor_in<E, 4>& k, const tensor_in<E, 4>& v, C&& y,
               const attention_options& options = {}, const std::type_identity_t<attention_with<E>>& with = {}) {
  static_assert(runs<Backend, attention_args<E>, E>,
                "attention: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "attention: y must be a mutable tensor or tensor_view of rank 4, of float or double");
  attention_args<E> a{.options = options,
                      .q = detail::heads_of<const E>(q),
                      .k = detail::heads_of<const E>(k),
                      .v = detail::heads_of<const E>(v),
                      .y = detail::heads_of<E>(tensor_output<E, 4>(y))};
  const attention_geometry g = a.geometry();
  a.lengths = detail::lengths_of<Backend>("attention", with.lengths, g);
  a.log_sums = detail::data_of("attention", "log_sums", with.log_sums, {g.n, g.heads, g.queries});
  return detail::run_checked<E>(on, a);
}
/// dq, dk and dv ← the gradients of attention(), from its y and log_sums. They may be adjacent columns, like q, k and
/// v. Work: 10·width matrix FLOP of each visible pair; see receipt(). Throws: as attention().
/// Example:
///   rp::attention_backward(on, q, k, v, y, log_sums, dy, dq, dk, dv, {.causal = true});
template <class Backend, class C, class E = tensor_element<C, 4>>
work attention_backward(const Backend& on, const tensor_in<E, 4>& q, const tensor_in<E, 4>& k, const tensor_in<E, 4>& v,
                        const tensor_in<E, 4>& y, const tensor_in<E, 3>& log_sums, const tensor_in<E, 4>& dy, C&& dq,
                        view_of<E, 4> dk, view_of<E, 4> dv, const attention_options& options = {},
                        const attention_backward_with& with = {}) {
  static_assert(runs<Backend, attention_backward_args<E>, E>,
                "attention_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "attention_backward: dq must be a mutable tensor or tensor_view of rank 4, of float or double");
  attention_backward_args<E> a{.options = options,
                               .q = detail::heads_of<const E>(q),
                               .k = detail::heads_of<const E>(k),
                               .v = detail::heads_of<const E>(v),
                               .y = detail::heads_of<const E>(y),
                               .dy = detail::heads_of<const E>(dy),
                               .dq = detail::heads_of<E>(tensor_output<E, 4>(dq)),
                               .dk = detail::heads_of<E>(dk),
                               .dv = detail::heads_of<E>(dv)};
  const attention_geometry g = a.geometry();
  a.lengths = detail::lengths_of<Backend>("attention_backward", with.lengths, g);
  a.log_sums = detail::data_of("attention_backward", "log_sums", static_cast<const tensor_view<const E, 3>&>(log_sums),
                               {g.n, g.heads, g.queries});
  return detail::run_checked<E>(on, a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
