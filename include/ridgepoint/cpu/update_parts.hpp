// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/update_kernels.hpp>
#include <ridgepoint/ops/optimiser.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// One step of an optimiser on all weights or on listed rows, in parallel, after what its update_rule asks for. `own`
/// are the optimiser's vectors.
template <class Kernel, cpu_backend On, template <class> class Args, class T, std::same_as<T>... Own>
void update_parts(const On& on, const Args<T>& u, const typename Kernel::numbers& step, Own*... own) noexcept {
  if (skips(u.rule, *u.state)) return;
  const listed_rows& l = u.listed;
  const index_t size = l.all() ? u.size : l.count,
                each = l.all() ? part_elements : std::max<index_t>(part_elements / l.width, 1);
  const kernels::update_changes<T> changes(u.rule, *u.state);
  const kernels::update_part<T> whole{u.w, u.g, {own...}, l, l.all() ? 0 : u.size / l.width, 0, size};
  parallel_for(size > each ? on.thread_count() : 1, ceil_div(size, each), [&](index_t p) {
    kernels::update_part<T> part = whole;
    part.begin = p * each, part.end = (std::min)(size, part.begin + each);
    on.template call<Kernel>(step, changes, part);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
