// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/attention_schedule.hpp>
#include <ridgepoint/cpu/run_once.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Threads take heads of samples.
template <cpu_backend On, std::floating_point T>
[[nodiscard]] attention_prepared prepare(const On& on, const attention_backward_args<T>& a,
                                         const prepare_options& = {}) {
  const auto s = detail::schedule_of<T>(on.vectors(), a.geometry());
  return detail::prepare_attention<kernels::attention_back_memory<T>>(
      on, s, s.g.n * s.g.heads, receipt(a), 5, detail::computed_pairs(s, std::max<index_t>(s.g.queries, 1), s.rows));
}
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const attention_prepared& made, const attention_backward_args<T>& a,
             const call_memory& memory) {
  const detail::attention_schedule& s = made.schedule;
  auto* const workspace = static_cast<std::byte*>(memory.workspace);
  parallel_for(on.thread_count(), s.g.n * s.g.heads, [&](index_t part, index_t worker) {
    std::byte* const piece = workspace + static_cast<std::size_t>(worker) * s.worker_bytes;
    on.template call<kernels::attention_head_backward<T>>(s, a, part / s.g.heads, part % s.g.heads, piece);
  });
}
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const attention_backward_args<T>& a) {
  detail::run_once(on, a);
}
template <std::floating_point T>
type_list<kernels::attention_head_backward<T>> kernels_of(const attention_backward_args<T>&);
template <cpu_backend On, class Args>
void make_constants(const On&, const attention_prepared&, const Args&, void*) {}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
