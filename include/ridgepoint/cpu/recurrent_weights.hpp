// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/cpu/recurrent_schedule.hpp>
#include <ridgepoint/kernels/recurrent/recurrent_kernels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The weights as panels: of each set, panel of units after panel, its gates beside each other, each wx above wh.
/// They are read a few rows at a time along all panels: panel by panel every row would be on another page.
template <cpu_backend On, class T>
void pack_weights(const On& on, const recurrent_schedule& s, const recurrent<T>& a, T* to) {
  constexpr index_t rows_at_once = 8;
  const recurrent_geometry& g = s.g;
  const index_t panel = s.width * (g.in + g.units), blocks_of_x = ceil_div(g.in, rows_at_once);
  parallel_for(on.thread_count(), blocks_of_x + ceil_div(g.units, rows_at_once), [&](index_t block) {
    const bool of_x = block < blocks_of_x;
    const index_t first = (of_x ? block : block - blocks_of_x) * rows_at_once;
    const matrix_view<const T> w(of_x ? a.wx : a.wh, of_x ? g.in : g.units, g.columns());
    T* set_at = to + (of_x ? first : g.in + first) * s.width;
    for (index_t i = 0; i < s.set_count; ++i) {
      const gate_set& set = s.sets[static_cast<std::size_t>(i)];
      on.template call<kernels::pack_gates<T>>(
          w.block(first, set.first * g.units, (std::min)(rows_at_once, w.rows - first), set.count * g.units), set.count,
          panel, set_at);
      set_at += set.count * s.panels * panel;
    }
  });
}
/// The biases in the order of the sums, zeros where there are none.
template <cpu_backend On, class T>
void arrange_biases(const On& on, const recurrent_schedule& s, const T* bias, const T* recurrent_bias, T* to) noexcept {
  const index_t units = s.g.units;
  std::fill_n(to, s.biases, T(0));
  for (index_t i = 0; i < s.set_count; ++i) {
    const gate_set& set = s.sets[static_cast<std::size_t>(i)];
    const auto add = [&](const T* from, T* at) {
      if (from != nullptr)
        on.template call<kernels::add_gate_biases<T>>(from + set.first * units, set.count, units, s.width, at);
    };
    T* const of_x = to + s.columns_before(i, s.panels);
    add(bias, of_x);
    add(recurrent_bias, set.apart ? of_x + set.count * s.panels * s.width : of_x);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
