// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/kernels/map/update.hpp>
#include <ridgepoint/ops/optimiser.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Weights that follow one another, from element `weight` on, and their gradients, from `gradient` on. What is wanted
/// soon, as many weights from `ahead` on, is to be fetched meanwhile, unless that is negative.
struct weight_stretch {
  index_t weight, gradient, size, ahead = -1;
};

/// f(stretch) for all weights that an update is of, in parallel. f is called in one place.
template <class Args, class F>
void for_stretches_of(const native_cpu& on, const Args& u, const F& f) noexcept {
  const listed_rows& l = u.listed;
  const bool all = l.all();
  const index_t stretches = all ? ceil_div(u.size, part_elements) : l.count, rows = all ? 0 : u.size / l.width,
                each = all ? 1 : std::max<index_t>(part_elements / l.width, 1);
  constexpr index_t rows_ahead = 12;
  const auto is_row = [&](index_t k) { return l.rows[k] >= 0 && l.rows[k] < rows; };
  parallel_for(stretches > each ? on.thread_count() : 1, ceil_div(stretches, each), [&](index_t part) {
    const index_t end = std::min(stretches, (part + 1) * each);
    for (index_t k = part * each; k < end; ++k) {
      weight_stretch s{k * part_elements, k * part_elements, std::min(part_elements, u.size - k * part_elements)};
      if (!all) {
        if (!is_row(k)) continue;
        s = {l.rows[k] * l.width, k * l.width, l.width};
        if (const index_t next = k + rows_ahead; next < end && is_row(next)) s.ahead = l.rows[next] * l.width;
      }
      f(s);
    }
  });
}

/// Lines of a row that will be read and written, into the L2: more of them can be on their way than to the L1, which
/// for rows scattered over memory is twice as fast.
template <class T>
void fetch_row(T* row, index_t width) noexcept {
  for (index_t j = 0; j < width; j += 64 / static_cast<index_t>(sizeof(T))) __builtin_prefetch(row + j, 0, 2);
}

}  // namespace detail

/// One step of an optimiser on all weights or on listed rows, in parallel: `step` on (w, g, own…), after what its
/// update_rule asks for.
template <class T, template <class> class Args, class Step, std::same_as<T>... Own>
void update_parts(const native_cpu& on, const Args<T>& u, const Step& step, Own*... own) noexcept {
  constexpr std::size_t outputs = 1 + sizeof...(Own);
  const auto run = [&](const auto& formula) {
    detail::for_stretches_of(on, u, [&](const detail::weight_stretch& s) {
      if (s.ahead >= 0) detail::fetch_row(u.w + s.ahead, s.size), (detail::fetch_row(own + s.ahead, s.size), ...);
      kernels::map<T, outputs + 1, outputs>({u.w + s.weight, u.g + s.gradient, (own + s.weight)...},
                                            {u.w + s.weight, (own + s.weight)...}, s.size, formula);
    });
  };
  if (skips(u.rule, *u.state)) return;
  if (u.rule.changes()) run(kernels::ruled_step<T, Step>(step, u.rule, *u.state));
  else run(step);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
