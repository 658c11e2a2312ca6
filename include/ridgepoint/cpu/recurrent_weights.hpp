// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/recurrent_schedule.hpp>
#include <ridgepoint/kernels/gemm/pack.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The weights as panels: of each set, panel of units after panel, its gates beside each other, each wx above wh.
/// They are read a few rows at a time along all panels: panel by panel every row would be on another page.
template <class T>
void pack_weights(const native_cpu& on, const recurrent_schedule& s, const recurrent<T>& a, T* to) {
  constexpr index_t rows_at_once = 8;
  const recurrent_geometry& g = s.g;
  const index_t nr = s.width, depth = g.in + g.units, blocks_of_x = ceil_div(g.in, rows_at_once);
  parallel_for(on.thread_count(), blocks_of_x + ceil_div(g.units, rows_at_once), [&](index_t block) {
    const bool of_x = block < blocks_of_x;
    const index_t first = (of_x ? block : block - blocks_of_x) * rows_at_once;
    const matrix_view<const T> w(of_x ? a.wx : a.wh, of_x ? g.in : g.units, g.columns());
    T* set_at = to + (of_x ? first : g.in + first) * nr;
    for (index_t i = 0; i < s.set_count; ++i) {
      const gate_set& set = s.sets[static_cast<std::size_t>(i)];
      for (index_t k = 0; k < set.count; ++k)
        for (index_t panel = 0; panel < s.panels; ++panel) {
          const index_t unit = panel * nr;
          kernels::pack_b_panel<T>(w.block(first, (set.first + k) * g.units + unit,
                                           std::min(rows_at_once, w.rows - first), std::min(nr, g.units - unit)),
                                   set_at + (panel * set.count + k) * depth * nr);
        }
      set_at += set.count * s.panels * depth * nr;
    }
  });
}
/// The biases in the order of the sums, zeros where there are none.
template <class T>
void arrange_biases(const recurrent_schedule& s, const T* bias, const T* recurrent_bias, T* to) noexcept {
  const index_t units = s.g.units;
  std::fill_n(to, s.biases, T(0));
  for (index_t i = 0; i < s.set_count; ++i) {
    const gate_set& set = s.sets[static_cast<std::size_t>(i)];
    const auto place = [&](const T* from, T* at) {
      for (index_t panel = 0; from != nullptr && panel < s.panels; ++panel)
        for (index_t k = 0; k < set.count; ++k)
          for (index_t u = panel * s.width; u < std::min(units, (panel + 1) * s.width); ++u)
            at[(panel * set.count + k) * s.width + u - panel * s.width] += from[(set.first + k) * units + u];
    };
    T* const of_x = to + s.columns_before(i, s.panels);
    place(bias, of_x);
    place(recurrent_bias, set.apart ? of_x + set.count * s.panels * s.width : of_x);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
