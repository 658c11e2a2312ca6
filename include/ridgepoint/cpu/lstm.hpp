// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/recurrent_backward.hpp>
#include <ridgepoint/kernels/recurrent/lstm_cell.hpp>
#include <ridgepoint/ops/lstm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

inline constexpr std::array<gate_set, 1> lstm_sets{{{.first = 0, .count = lstm_gates}}};

/// c and h of some units from their gates' sums. c(t − 1) is where it was saved, or in `own`.
template <class T>
struct lstm_step {
  const lstm_args<T>& a;

  void step(const cell_place<T>& at) const noexcept {
    using lines = kernels::lines<T>;
    const index_t u = a.operands.y.width, n = a.operands.x.batch, row = at.t * n + at.row;
    const auto run = [&](const lines& before, const auto& out) {
      kernels::map_rows(at.rows, at.width,
                        std::array<kernels::lines<const T>, 5>{at.sums[0], at.sums[1], at.sums[2], at.sums[3], before},
                        out, kernels::lstm_cell<T>{});
    };
    const lines y = at.rows_or_next(a.operands.y);
    if (a.c == nullptr) return run(at.own, std::array{at.next, y, at.own});
    const lines c{a.c + row * u + at.unit, u}, gates{a.gates + row * lstm_gates * u + at.unit, lstm_gates * u};
    run(at.t == 0 ? at.own : lines{c.data - n * u, u},
        std::array{at.next, y, c, gates, gates.from(u), gates.from(2 * u), gates.from(3 * u)});
  }
};

/// The da of some samples; dc is in `own`.
template <class T>
struct lstm_step_back {
  const lstm_backward_args<T>& a;

  void step(const cell_place_back<T>& at) const noexcept {
    using lines = kernels::lines<const T>;
    const index_t u = a.operands.y.width, n = a.operands.x.batch, row = at.t * n + at.row;
    const lines gates{a.gates + row * lstm_gates * u, lstm_gates * u}, c{a.c + row * u, u};
    const lines before = at.t == 0 ? at.rows_of(a.c0, u) : lines{c.data - n * u, u};
    kernels::map_rows(at.rows, u,
                      std::array<lines, 9>{gates, gates.from(u), gates.from(2 * u), gates.from(3 * u), c, before, at.dh,
                                           at.dy, at.own},
                      std::array{at.da, at.da.from(u), at.da.from(2 * u), at.da.from(3 * u), at.own},
                      kernels::lstm_cell_backward<T>{});
  }
};

}  // namespace detail

/// Schedules an LSTM. In "panels" weights are packed with all gates of some units side by side, so that their sums go
/// from the registers to the cell through L1; in "steps" x(t)·wx is made for several steps at once, where each has few
/// samples; "in place" weights are multiplied where they lie, for very few.
template <std::floating_point T>
[[nodiscard]] recurrent_prepared prepare(const native_cpu& on, const lstm_args<T>& a,
                                         const prepare_options& options = {}) {
  return detail::prepare_recurrent(on, a.operands, detail::lstm_sets, lstm_gates, options);
}
template <std::floating_point T>
void make_constants(const native_cpu& on, const recurrent_prepared& made, const lstm_args<T>& a, void* to) {
  detail::pack_weights(on, made.schedule, a.operands, static_cast<T*>(to));
}
template <std::floating_point T>
void execute(const native_cpu& on, const recurrent_prepared& made, const lstm_args<T>& a, const call_memory& memory) {
  const detail::lstm_step<T> cell{a};
  detail::run_recurrent(on, made, a.operands, detail::any_cell<T>::of(cell, a.c0), memory);
}
template <std::floating_point T>
void execute(const native_cpu& on, const lstm_args<T>& a) {
  detail::run_recurrent_once(on, a);
}

/// Schedules its gradient: step by step da from the saved gates, and dh ← da·whᵀ, wh packed or "in place"; then dwx,
/// dwh, dx and db from the da of all steps, a product each.
template <std::floating_point T>
[[nodiscard]] recurrent_back_prepared prepare(const native_cpu& on, const lstm_backward_args<T>& a,
                                              const prepare_options& = {}) {
  return detail::prepare_recurrent_back(on, a.operands, lstm_gates, detail::back_layout::of(lstm_gates));
}
template <std::floating_point T>
void make_constants(const native_cpu&, const recurrent_back_prepared&, const lstm_backward_args<T>&, void*) {}
template <std::floating_point T>
void execute(const native_cpu& on, const recurrent_back_prepared& made, const lstm_backward_args<T>& a,
             const call_memory& memory) {
  const detail::lstm_step_back<T> cell{a};
  detail::run_recurrent_back(on, made, a.operands, detail::any_cell_back<T>::of(cell), memory, {.own = a.dc0});
}
template <std::floating_point T>
void execute(const native_cpu& on, const lstm_backward_args<T>& a) {
  detail::run_recurrent_once(on, a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
