// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/kernels/map/update.hpp>
#include <ridgepoint/ops/optimiser.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// One step of an optimiser on all weights, in parallel: `step` on (w, g, own…), after what its update_rule asks for.
template <class T, template <class> class Args, class Step, std::same_as<T>... Own>
void update_parts(const native_cpu& on, const Args<T>& u, const Step& step, Own*... own) noexcept {
  constexpr std::size_t outputs = 1 + sizeof...(Own);
  const auto run = [&](const auto& formula) {
    for_parts(on, u.size, [&](index_t begin, index_t end) {
      kernels::map<T, outputs + 1, outputs>({u.w + begin, u.g + begin, (own + begin)...},
                                            {u.w + begin, (own + begin)...}, end - begin, formula);
    });
  };
  if (u.rule.changes()) run(kernels::ruled_step<T, Step>(step, u.rule, *u.state));
  else run(step);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
