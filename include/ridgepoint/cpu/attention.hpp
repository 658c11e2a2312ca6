// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/attention_backward.hpp>
#include <ridgepoint/cpu/attention_schedule.hpp>
#include <ridgepoint/cpu/run_once.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Threads take blocks of queries of one head each.
template <cpu_backend On, std::floating_point T>
[[nodiscard]] attention_prepared prepare(const On& on, const attention_args<T>& a, const prepare_options& = {}) {
  const auto s = detail::schedule_of<T>(on.vectors(), a.geometry());
  return detail::prepare_attention<kernels::attention_memory<T>>(on, s, s.g.n * s.g.heads * s.blocks(), receipt(a), 2,
                                                                 detail::computed_pairs(s, s.rows, s.part));
}
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const attention_prepared& made, const attention_args<T>& a, const call_memory& memory) {
  const detail::attention_schedule& s = made.schedule;
  auto* const workspace = static_cast<std::byte*>(memory.workspace);
  parallel_for(on.thread_count(), s.g.n * s.g.heads * s.blocks(), [&](index_t part, index_t worker) {
    const index_t block = part % s.blocks(), head = part / s.blocks();
    on.template call<kernels::attention_block<T>>(s, a, head / s.g.heads, head % s.g.heads, block * s.rows,
                                                  workspace + static_cast<std::size_t>(worker) * s.worker_bytes);
  });
}
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const attention_args<T>& a) {
  detail::run_once(on, a);
}
template <std::floating_point T>
type_list<kernels::attention_block<T>> kernels_of(const attention_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
