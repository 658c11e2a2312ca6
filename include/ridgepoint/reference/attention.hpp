// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <vector>

#include <ridgepoint/ops/attention.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// Σ_c x(n, i, h, c)·y(n, j, h, c), as one element of a matrix product.
template <class A, class T>
[[nodiscard]] A head_product(const heads_view<const T>& x, index_t i, const heads_view<const T>& y, index_t j,
                             index_t n, index_t h) {
  A sum(0);
  for (index_t c = 0; c < x.extents[3]; ++c) sum = multiply_add(sum, A(x(n, i, h, c)), A(y(n, j, h, c)));
  return sum;
}
/// Calls run(n, h, i, seen) for each query of each head; `seen` is the number of keys it sees.
template <class Run>
void for_each_query(const attention_geometry& g, const std::int32_t* lengths, const Run& run) {
  for (index_t n = 0; n < g.n; ++n)
    for (index_t h = 0; h < g.heads; ++h)
      for (index_t i = 0; i < g.queries; ++i) run(n, h, i, g.seen(i, g.there(lengths, n)));
}
}  // namespace detail

/// Query by query: s(j) = scale·q·k(j), m = max s, y ← Σ e^(s(j) − m)·v(j) / Σ e^(s(j) − m), in double.
template <scalar T>
void execute(const reference_backend&, const attention_args<T>& a) {
  using std::exp, std::log;
  using wide = accumulator_t<T>;
  const attention_geometry g = a.geometry();
  const auto scale = static_cast<wide>(detail::scale_of(a.options, g));
  std::vector<wide> p(static_cast<std::size_t>(g.keys), wide(0));
  const auto weight = [&](index_t j) -> wide& { return p[static_cast<std::size_t>(j)]; };
  detail::for_each_query(g, a.lengths, [&](index_t n, index_t h, index_t i, index_t seen) {
    auto max = static_cast<wide>(-std::numeric_limits<double>::infinity());
    wide sum(0), inverse(0);
    for (index_t j = 0; j < seen; ++j) {
      weight(j) = scale * detail::head_product<wide>(a.q, i, a.k, j, n, h);
      if (weight(j) > max) max = weight(j);
    }
    for (index_t j = 0; j < seen; ++j) {
      weight(j) = exp(weight(j) - max);
      sum = sum + weight(j);
    }
    if (seen > 0) inverse = wide(1) / sum;
    for (index_t c = 0; c < g.width; ++c) {
      wide y(0);
      for (index_t j = 0; j < seen; ++j) y = multiply_add(y, weight(j), wide(a.v(n, j, h, c)));
      a.y(n, i, h, c) = seen > 0 ? T(y * inverse) : T(0);
    }
    if (a.log_sums != nullptr) a.log_sums[(n * g.heads + h) * g.queries + i] = seen > 0 ? T(max + log(sum)) : T(max);
  });
}

/// Query by query, with p(j) = e^(scale·q·k(j) − log_sum), D = Σ dy·y and ds(j) = p(j)·(dy·v(j) − D)·scale:
/// dq ← Σ ds(j)·k(j), dk(j) += ds(j)·q, dv(j) += p(j)·dy, in double.
template <scalar T>
void execute(const reference_backend&, const attention_backward_args<T>& a) {
  using std::exp;
  using wide = accumulator_t<T>;
  const attention_geometry g = a.geometry();
  const auto scale = static_cast<wide>(detail::scale_of(a.options, g));
  std::vector<wide> dk(static_cast<std::size_t>(g.n * g.keys * g.heads * g.width), wide(0)), dv = dk;
  const auto at = [&](index_t n, index_t j, index_t h, index_t c) {
    return static_cast<std::size_t>(((n * g.keys + j) * g.heads + h) * g.width + c);
  };
  detail::for_each_query(g, a.lengths, [&](index_t n, index_t h, index_t i, index_t seen) {
    std::vector<wide> dq(static_cast<std::size_t>(g.width), wide(0));
    wide d(0);
    for (index_t c = 0; seen > 0 && c < g.width; ++c) d = d + wide(a.dy(n, i, h, c)) * wide(a.y(n, i, h, c));
    for (index_t j = 0; j < seen; ++j) {
      const wide log_sum(a.log_sums[(n * g.heads + h) * g.queries + i]);
      const wide p = exp(scale * detail::head_product<wide>(a.q, i, a.k, j, n, h) - log_sum);
      const wide ds = p * (detail::head_product<wide>(a.dy, i, a.v, j, n, h) - d) * scale;
      for (index_t c = 0; c < g.width; ++c) {
        wide &dq_c = dq[static_cast<std::size_t>(c)], &dk_c = dk[at(n, j, h, c)], &dv_c = dv[at(n, j, h, c)];
        dq_c = multiply_add(dq_c, ds, wide(a.k(n, j, h, c)));
        dk_c = multiply_add(dk_c, ds, wide(a.q(n, i, h, c)));
        dv_c = multiply_add(dv_c, p, wide(a.dy(n, i, h, c)));
      }
    }
    for (index_t c = 0; c < g.width; ++c) a.dq(n, i, h, c) = T(dq[static_cast<std::size_t>(c)]);
  });
  for (index_t n = 0; n < g.n; ++n)
    for (index_t j = 0; j < g.keys; ++j)
      for (index_t h = 0; h < g.heads; ++h)
        for (index_t c = 0; c < g.width; ++c) {
          a.dk(n, j, h, c) = T(dk[at(n, j, h, c)]);
          a.dv(n, j, h, c) = T(dv[at(n, j, h, c)]);
        }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
