// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>

#include <ridgepoint/kernels/gemm/macrokernel.hpp>
#include <ridgepoint/kernels/map/attention_kernels.hpp>
#include <ridgepoint/kernels/map/loss.hpp>
#include <ridgepoint/kernels/native_unit.hpp>

/// \file
/// Operations of attention on a tile of scores between its products.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Tile of scores: rows of queries with stride `ld`; row i sees the first seen + i·step columns, 0 to `columns`.
template <class T>
struct score_tile {
  T* scores;
  index_t rows, columns, ld;
  index_t seen, step;  // step: 0, or 1 below a diagonal

  [[nodiscard]] constexpr index_t seen_by(index_t i) const noexcept {
    const index_t some = seen + i * step;
    return some < 0 ? 0 : some < columns ? some : columns;
  }
};

/// scores(i, ·) ← e^(scores(i, ·) − max(i)), 0 in columns that a row does not see; adds them to the row sums. When a
/// row's maximum grows, its sum and its `width` values of y, both accumulated with the previous maximum, are rescaled.
template <class T>
RIDGEPOINT_NOINLINE void soften_tile(const score_tile<T>& t, T* max, double* sums, T* y, index_t y_ld,
                                     index_t width) noexcept {
  for (index_t i = 0; i < t.rows; ++i) {
    T* const row = t.scores + i * t.ld;
    const index_t seen = t.seen_by(i);
    const T before = max[i], largest = row_max(row, seen);
    if (largest > before) {
      max[i] = largest;
      if (before > -std::numeric_limits<T>::infinity()) {
        const T factor = std::exp(before - largest);
        sums[i] *= static_cast<double>(factor);
        scale_row(factor, y + i * y_ld, width);
      }
    }
    sums[i] += exp_row(row, max[i], row, seen);
    std::fill_n(row + seen, t.columns - seen, T(0));
  }
}

/// p ← e^(s − log_sum), ds ← p·(dp − d).
template <class T>
struct attention_gradient {
  using batch = simd::batch<T>;
  T log_sum, d;
  RIDGEPOINT_INLINE std::array<batch, 2> operator()(batch s, batch dp) const noexcept {
    const batch p = simd::exp(s - batch(log_sum));
    return {p, p * (dp - batch(d))};
  }
};

/// Turns scores into weights, and the weights' gradients dp into score gradients, row by row; 0 in columns not seen.
template <class T>
RIDGEPOINT_NOINLINE void differentiate_tile(const score_tile<T>& t, T* dp, const T* log_sums, const T* d) noexcept {
  for (index_t i = 0; i < t.rows; ++i) {
    T *const row = t.scores + i * t.ld, *const gradient = dp + i * t.ld;
    const index_t seen = t.seen_by(i);
    map<T, 2, 2>({row, gradient}, {row, gradient}, seen, attention_gradient<T>{log_sums[i], d[i]});
    std::fill_n(row + seen, t.columns - seen, T(0));
    std::fill_n(gradient + seen, t.columns - seen, T(0));
  }
}

template <class T>
struct product_summand {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x, batch y) const noexcept { return {x * y}; }
};
/// Σ x·y.
template <class T>
RIDGEPOINT_INLINE T dot_rows(const T* x, const T* y, index_t n) noexcept {
  return static_cast<T>(map<T, 2, 0>({x, y}, {}, n, product_summand<T>{})[0]);
}

/// y(i, ·) ← factor·x(i, ·).
template <class T>
RIDGEPOINT_INLINE void scale_rows(T factor, matrix_view<const T> x, T* y, index_t y_ld) noexcept {
  for (index_t i = 0; i < x.rows; ++i) map<T, 1, 1>({&x(i, 0)}, {y + i * y_ld}, x.cols, scaled<T>{factor});
}

namespace detail {

/// c ← α·a·panels + β·c.
template <class T>
void multiply_tile(matrix_view<const T> a, const b_panels<T>& b, matrix_view<T> c, T beta, T alpha = T(1)) noexcept {
  const auto split = tile_split::of(a.rows, native_unit);
  block_times_panels<T>(a_block<T>::of(a, split, nullptr), split, b, c.cols, a.cols, c.data, c.row_stride,
                        {.alpha = alpha, .beta = beta});
}
/// Returns unpacked rows as panels.
template <class T>
[[nodiscard]] b_panels<T> panels_of(matrix_view<const T> rows) noexcept {
  return {rows.data, panel_width<T>(native_unit), rows.row_stride};
}
/// Returns the packed panels of a matrix of `rows` rows.
template <class T>
[[nodiscard]] b_panels<T> packed_panels(const T* packed, index_t rows) noexcept {
  return {packed, panel_width<T>(native_unit) * rows};
}
template <class T>
void zero_rows(const heads_view<T>& x, index_t n, index_t h, index_t first, index_t end) noexcept {
  for (index_t i = first; i < end; ++i) std::fill_n(&x(n, i, h, 0), x.extents[3], T(0));
}

/// Gradients of one head of one sample. Keys are the outer loop: the panels of each tile of keys are packed once; dk
/// and dv accumulate over tiles of queries, dq over tiles of keys, in this order.
template <class T>
class attention_head_back {
 public:
  attention_head_back(const attention_schedule& s, const attention_backward_args<T>& a, index_t n, index_t h,
                      std::byte* memory) noexcept
      : s_(s),
        a_(a),
        m_(native_unit, s, memory),
        n_(n),
        h_(h),
        scale_(static_cast<T>(ridgepoint::detail::scale_of(a.options, s.g))) {}

  void run() const noexcept {
    const attention_geometry& g = s_.g;
    const index_t keys = g.queries == 0 ? 0 : g.there(a_.lengths, n_), begin = keys == 0 ? g.queries : g.first_query(0);
    zero_rows(a_.dq, n_, h_, 0, begin);
    zero_rows(a_.dk, n_, h_, 0, g.keys);
    zero_rows(a_.dv, n_, h_, 0, g.keys);
    for (index_t i = begin; i < g.queries; ++i)
      m_.d[i] = dot_rows<T>(&a_.dy(n_, i, h_, 0), &a_.y(n_, i, h_, 0), g.width);
    for (index_t j = 0; j < keys; j += s_.columns) {
      const index_t columns = (std::min)(s_.columns, keys - j);
      const matrix_view<const T> k = a_.k.head(n_, h_, j, columns), v = a_.v.head(n_, h_, j, columns);
      pack_b_panels(k, m_.k);
      pack_b_panels(k.transposed(), m_.kt);
      pack_b_panels(v.transposed(), m_.vt);
      s_.for_groups(0, g.queries, j, columns, s_.rows,
                    [&](index_t i, index_t rows, index_t seen) { tile(i, rows, j, seen, columns); });
    }
  }

 private:
  /// p ← e^(scale·q·kᵀ − log_sum), ds ← p∘(dy·vᵀ − d); dv += pᵀ·dy, dk += dsᵀ·(scale·q), dq += scale·ds·k, for some
  /// queries and the first `columns` of the `packed` keys from j on.
  void tile(index_t i, index_t rows, index_t j, index_t columns, index_t packed) const noexcept {
    const attention_geometry& g = s_.g;
    const index_t d = g.width;
    const matrix_view<T> q(m_.q, rows, d, s_.row_ld), dy(m_.dy, rows, d, s_.row_ld),
        p(m_.scores, rows, columns, s_.score_ld), ds(m_.slopes, rows, columns, s_.score_ld);
    scale_rows(scale_, a_.q.head(n_, h_, i, rows), q.data, s_.row_ld);
    scale_rows(T(1), a_.dy.head(n_, h_, i, rows), dy.data, s_.row_ld);
    multiply_tile<T>(q, packed_panels(m_.kt, d), p, T(0));
    multiply_tile<T>(dy, packed_panels(m_.vt, d), ds, T(0));
    differentiate_tile<T>(
        {p.data, rows, columns, s_.score_ld, g.seen(i, g.keys) - j, g.causal ? index_t{1} : index_t{0}}, ds.data,
        a_.log_sums + (n_ * g.heads + h_) * g.queries + i, m_.d + i);
    multiply_tile<T>(matrix_view<const T>(p).transposed(), panels_of<T>(dy), a_.dv.head(n_, h_, j, columns), T(1));
    multiply_tile<T>(matrix_view<const T>(ds).transposed(), panels_of<T>(q), a_.dk.head(n_, h_, j, columns), T(1));
    multiply_tile<T>(ds, packed_panels(m_.k, packed), a_.dq.head(n_, h_, i, rows), j == 0 ? T(0) : T(1), scale_);
  }

  const attention_schedule& s_;
  const attention_backward_args<T>& a_;
  const attention_back_memory<T> m_;
  index_t n_, h_;
  T scale_;
};

}  // namespace detail

template <class T>
void attention_block<T>::run(const attention_schedule& s, const attention_args<T>& a, index_t n, index_t h,
                             index_t first, std::byte* memory) noexcept {
  constexpr T none = -std::numeric_limits<T>::infinity();
  const attention_geometry& g = s.g;
  const attention_memory<T> m(native_unit, s, memory);
  const index_t rows = (std::min)(s.rows, g.queries - first), d = g.width, there = g.there(a.lengths, n),
                keys = g.seen(first + rows - 1, there);
  scale_rows(static_cast<T>(ridgepoint::detail::scale_of(a.options, g)), a.q.head(n, h, first, rows), m.q, s.row_ld);
  std::fill_n(m.max, rows, none);
  std::fill_n(m.sums, rows, 0.0);
  for (index_t j = 0; j < keys; j += s.columns) {
    const index_t columns = (std::min)(s.columns, keys - j);
    pack_b_panels(a.k.head(n, h, j, columns).transposed(), m.k);
    pack_b_panels(a.v.head(n, h, j, columns), m.v);
    s.for_groups(first, first + rows, j, columns, s.part, [&](index_t i, index_t count, index_t seen) {
      const index_t at = i - first;
      const matrix_view<T> scores(m.scores, count, seen, s.score_ld), y(m.y + at * s.row_ld, count, d, s.row_ld);
      detail::multiply_tile<T>({m.q + at * s.row_ld, count, d, s.row_ld}, detail::packed_panels(m.k, d), scores, T(0));
      soften_tile<T>({scores.data, count, seen, s.score_ld, g.seen(i, g.keys) - j, g.causal ? index_t{1} : index_t{0}},
                     m.max + at, m.sums + at, y.data, s.row_ld, d);
      detail::multiply_tile<T>(scores, detail::packed_panels(m.v, columns), y, j == 0 ? T(0) : T(1));
    });
  }
  for (index_t i = 0; i < rows; ++i) {
    const bool some = g.seen(first + i, there) > 0;
    T* const y = &a.y(n, first + i, h, 0);
    if (some) scale_rows(static_cast<T>(1 / m.sums[i]), {m.y + i * s.row_ld, 1, d, s.row_ld}, y, d);
    else std::fill_n(y, d, T(0));
    if (a.log_sums != nullptr)
      a.log_sums[(n * g.heads + h) * g.queries + first + i] =
          some ? static_cast<T>(static_cast<double>(m.max[i]) + std::log(m.sums[i])) : none;
  }
}

template <class T>
void attention_head_backward<T>::run(const attention_schedule& s, const attention_backward_args<T>& a, index_t n,
                                     index_t h, std::byte* memory) noexcept {
  detail::attention_head_back<T>(s, a, n, h, memory).run();
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
