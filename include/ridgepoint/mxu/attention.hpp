// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/recurrent.hpp>
#include <ridgepoint/ops/attention.hpp>
#include <ridgepoint/reference/attention.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace systolic {

/// One head of one sample as matrices, with its number of keys.
struct attention_head {
  attention_geometry g;
  index_t n = 0, h = 0, keys = 0;
  float scale = 1;

  template <class T>
  [[nodiscard]] matrix_view<T> rows(const heads_view<T>& x, index_t count) const noexcept {
    return x.head(n, h, 0, count);
  }
  /// s ← scale·q·kᵀ, from the array.
  template <backend Host, class Args>
  void score(const mxu<Host>& on, const Args& a, matrix_view<float> s) const {
    multiply(on, rows(a.q, g.queries), rows(a.k, keys).transposed(), s, {.alpha = scale});
  }
};

/// Calls run(head) for each head that has queries and keys.
template <class Args, class Run>
void for_each_head(const Args& a, const Run& run) {
  const attention_geometry g = a.geometry();
  for (index_t n = 0; n < g.n; ++n)
    for (index_t h = 0; h < g.heads; ++h)
      run(attention_head{g, n, h, g.there(a.lengths, n),
                         static_cast<float>(ridgepoint::detail::scale_of(a.options, g))});
}
inline void clear_rows(matrix_view<float> x) noexcept {
  for (index_t i = 0; i < x.rows; ++i) std::fill_n(&x(i, 0), x.cols, 0.0F);
}

}  // namespace systolic

/// Runs head by head: both products on the array, the softmax between them on the vector unit. Keeps all scores of a
/// head.
template <backend Host>
void execute(const mxu<Host>& on, const attention_args<float>& a) {
  systolic::for_each_head(a, [&](const systolic::attention_head& head) {
    const attention_geometry& g = head.g;
    const auto y = head.rows(a.y, g.queries);
    const auto s = systolic::scratch_matrix<struct attention_scores_tag>(g.queries, head.keys);
    if (head.keys > 0) head.score(on, a, s);
    for (index_t i = 0; i < g.queries; ++i) {
      const index_t seen = g.seen(i, head.keys);
      double max = -std::numeric_limits<double>::infinity(), sum = 0;
      for (index_t j = 0; j < seen; ++j) max = s(i, j) > max ? s(i, j) : max;
      for (index_t j = 0; j < seen; ++j) sum += std::exp(s(i, j) - max);
      for (index_t j = 0; j < head.keys; ++j)
        s(i, j) = j < seen ? static_cast<float>(std::exp(s(i, j) - max) / sum) : 0.0F;
      if (a.log_sums != nullptr)
        a.log_sums[(head.n * g.heads + head.h) * g.queries + i] =
            static_cast<float>(seen > 0 ? max + std::log(sum) : max);
    }
    if (head.keys == 0) return systolic::clear_rows(y);
    systolic::multiply(on, s, head.rows(a.v, head.keys), y);
  });
}

/// Computes all five products on the array.
template <backend Host>
void execute(const mxu<Host>& on, const attention_backward_args<float>& a) {
  systolic::for_each_head(a, [&](const systolic::attention_head& head) {
    const attention_geometry& g = head.g;
    const auto dq = head.rows(a.dq, g.queries), dk = head.rows(a.dk, g.keys), dv = head.rows(a.dv, g.keys);
    const auto dy = head.rows(a.dy, g.queries);
    const auto p = systolic::scratch_matrix<struct attention_weights_tag>(g.queries, head.keys),
               ds = systolic::scratch_matrix<struct attention_slopes_tag>(g.queries, head.keys);
    systolic::clear_rows(dq), systolic::clear_rows(dk), systolic::clear_rows(dv);
    if (g.queries == 0 || head.keys == 0) return;
    head.score(on, a, p);
    systolic::multiply(on, dy, head.rows(a.v, head.keys).transposed(), ds);
    for (index_t i = 0; i < g.queries; ++i) {
      const index_t seen = g.seen(i, head.keys);
      double d = 0;
      for (index_t c = 0; seen > 0 && c < g.width; ++c)
        d += static_cast<double>(dy(i, c)) * static_cast<double>(a.y(head.n, i, head.h, c));
      for (index_t j = 0; j < head.keys; ++j) {
        const auto log_sum = static_cast<double>(a.log_sums[(head.n * g.heads + head.h) * g.queries + i]);
        const double weight = j < seen ? std::exp(static_cast<double>(p(i, j)) - log_sum) : 0;
        p(i, j) = static_cast<float>(weight);
        ds(i, j) = static_cast<float>(j < seen ? weight * (static_cast<double>(ds(i, j)) - d) : 0);
      }
    }
    const matrix_view<const float> weights = p, slopes = ds;
    systolic::multiply(on, weights.transposed(), dy, dv.block(0, 0, head.keys, g.width));
    systolic::multiply(on, slopes.transposed(), head.rows(a.q, g.queries), dk.block(0, 0, head.keys, g.width),
                       {.alpha = head.scale});
    systolic::multiply(on, slopes, head.rows(a.k, head.keys), dq, {.alpha = head.scale});
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
