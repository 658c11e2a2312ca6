// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/attention_schedule.hpp>
#include <ridgepoint/cpu/run_once.hpp>
#include <ridgepoint/kernels/map/attention.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// The gradients of one head of one sample. Keys are the outer loop: of each tile of them the panels are packed once;
/// dk and dv gather over tiles of queries, dq over tiles of keys, in this order.
template <class T>
class attention_head_back {
 public:
  attention_head_back(const attention_schedule& s, const attention_backward_args<T>& a, index_t n, index_t h,
                      std::byte* memory) noexcept
      : s_(s), a_(a), m_(s, memory), n_(n), h_(h), scale_(static_cast<T>(scale_of(a.options, s.g))) {}

  void run() const noexcept {
    const attention_geometry& g = s_.g;
    const index_t keys = g.queries == 0 ? 0 : g.there(a_.lengths, n_), begin = keys == 0 ? g.queries : g.first_query(0);
    zero_rows(a_.dq, n_, h_, 0, begin);
    zero_rows(a_.dk, n_, h_, 0, g.keys);
    zero_rows(a_.dv, n_, h_, 0, g.keys);
    for (index_t i = begin; i < g.queries; ++i)
      m_.d[i] = kernels::dot_rows<T>(&a_.dy(n_, i, h_, 0), &a_.y(n_, i, h_, 0), g.width);
    for (index_t j = 0; j < keys; j += s_.columns) {
      const index_t columns = std::min(s_.columns, keys - j);
      const matrix_view<const T> k = a_.k.head(n_, h_, j, columns), v = a_.v.head(n_, h_, j, columns);
      kernels::pack_b_panels(k, m_.k);
      kernels::pack_b_panels(k.transposed(), m_.kt);
      kernels::pack_b_panels(v.transposed(), m_.vt);
      s_.for_groups(0, g.queries, j, columns, s_.rows,
                    [&](index_t i, index_t rows, index_t seen) { tile(i, rows, j, seen, columns); });
    }
  }

 private:
  /// p ← e^(scale·q·kᵀ − log_sum), ds ← p∘(dy·vᵀ − d); dv += pᵀ·dy, dk += dsᵀ·(scale·q), dq += scale·ds·k: of some
  /// queries and the first `columns` of the `packed` keys from j on.
  void tile(index_t i, index_t rows, index_t j, index_t columns, index_t packed) const noexcept {
    const attention_geometry& g = s_.g;
    const index_t d = g.width;
    const matrix_view<T> q(m_.q, rows, d, s_.row_ld), dy(m_.dy, rows, d, s_.row_ld),
        p(m_.scores, rows, columns, s_.score_ld), ds(m_.slopes, rows, columns, s_.score_ld);
    kernels::scale_rows(scale_, a_.q.head(n_, h_, i, rows), q.data, s_.row_ld);
    kernels::scale_rows(T(1), a_.dy.head(n_, h_, i, rows), dy.data, s_.row_ld);
    multiply_tile<T>(q, packed_panels(m_.kt, d), p, T(0));
    multiply_tile<T>(dy, packed_panels(m_.vt, d), ds, T(0));
    kernels::differentiate_tile<T>(
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

/// Threads take heads of samples.
template <std::floating_point T>
[[nodiscard]] attention_prepared prepare(const native_cpu& on, const attention_backward_args<T>& a,
                                         const prepare_options& = {}) {
  const auto s = detail::schedule_of<T>(a.geometry());
  return detail::prepare_attention<detail::attention_back_memory<T>>(
      on, s, s.g.n * s.g.heads, receipt(a), 5, detail::computed_pairs(s, std::max<index_t>(s.g.queries, 1), s.rows));
}
template <std::floating_point T>
void execute(const native_cpu& on, const attention_prepared& made, const attention_backward_args<T>& a,
             const call_memory& memory) {
  const detail::attention_schedule& s = made.schedule;
  auto* const workspace = static_cast<std::byte*>(memory.workspace);
  parallel_for(on.thread_count(), s.g.n * s.g.heads, [&](index_t part, index_t worker) {
    std::byte* const piece = workspace + static_cast<std::size_t>(worker) * s.worker_bytes;
    detail::attention_head_back<T>(s, a, part / s.g.heads, part % s.g.heads, piece).run();
  });
}
template <std::floating_point T>
void execute(const native_cpu& on, const attention_backward_args<T>& a) {
  detail::run_once(on, a);
}
template <class Args>
void make_constants(const native_cpu&, const attention_prepared&, const Args&, void*) {}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
