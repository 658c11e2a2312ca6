// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/recurrent_backward.hpp>
#include <ridgepoint/kernels/recurrent/gru_cell.hpp>
#include <ridgepoint/ops/gru.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// r and z, then n: apart from its recurrent product where r acts on that, or of r∘h, which r must have made before.
[[nodiscard]] constexpr std::array<gate_set, 2> gru_sets(gru_reset reset) noexcept {
  const bool after = reset == gru_reset::after;
  return {{{.first = 0, .count = 2}, {.first = 2, .count = 1, .apart = after, .phase = after ? 0 : 1}}};
}
/// da of n, r, z, and with reset after of the product that r acts on.
[[nodiscard]] constexpr back_layout gru_layout(gru_reset reset) noexcept {
  constexpr gate_columns n{.da = 0, .weight = 2, .count = 1}, rz{.da = 1, .weight = 0, .count = 2};
  if (reset == gru_reset::after)
    return {.columns = 4,
            .input = {rz, n},
            .state = {gate_columns{.da = 1, .weight = 0, .count = 3}},
            .inputs = 2,
            .adds = true};
  return {.columns = 3, .input = {rz, n}, .state = {rz, n}, .inputs = 2, .states = 2, .adds = true};
}

/// h(t) of some units from their gates' sums; with reset before in two phases, z in `own` meanwhile.
template <class T>
struct gru_step {
  const gru_args<T>& a;

  void step(const cell_place<T>& at) const noexcept {
    using lines = kernels::lines<T>;
    using read = kernels::lines<const T>;
    const index_t u = a.operands.y.width, saved = a.saved(a.reset) * u;
    const bool saves = a.gates != nullptr;
    T* const gates = saves ? a.gates + (at.t * a.operands.x.batch + at.row) * saved + at.unit : at.own.data;
    const lines r{gates, saved}, z{gates + (saves ? u : 0), saved}, n{gates + (saves ? 2 * u : 0), saved};
    const auto map = [&]<std::size_t Ins, std::size_t Outs>(const std::array<read, Ins>& in,
                                                            const std::array<lines, Outs>& out, const auto& formula) {
      kernels::map_rows(at.rows, at.width, in, out, formula);
    };
    const auto with_saved = [&]<std::size_t Ins, std::size_t Always, std::size_t Saved>(
                                const std::array<read, Ins>& in, const std::array<lines, Always>& always,
                                const std::array<lines, Saved>& more, const auto& formula) {
      if (!saves) return map(in, always, formula);
      std::array<lines, Always + Saved> all;
      std::copy(more.begin(), more.end(), std::copy(always.begin(), always.end(), all.begin()));
      map(in, all, formula);
    };
    const lines y = at.rows_or_next(a.operands.y);
    if (a.reset == gru_reset::after)
      return with_saved(std::array{at.sums[0], at.sums[1], at.sums[2], at.sums[3], at.h}, std::array{at.next, y},
                        std::array{r, z, n, n.from(u)}, kernels::gru_cell_after<T>{});
    const lines kept = saves ? z : at.own;
    if (at.phase == 0)
      return with_saved(std::array{at.sums[0], at.sums[1], at.h}, std::array{at.other, kept}, std::array{r},
                        kernels::gru_gates_before<T>{});
    with_saved(std::array{at.sums[2], read(kept), at.h}, std::array{at.next, y}, std::array{n},
               kernels::gru_cell_before<T>{});
  }
};

/// The da of some samples, and the part of the gradient of the state before that goes through no product.
template <class T>
struct gru_step_back {
  const gru_backward_args<T>& a;

  void step(const cell_place_back<T>& at) const noexcept {
    using lines = kernels::lines<const T>;
    const index_t u = a.operands.y.width, saved = gru_args<T>::saved(a.reset) * u;
    const lines r{a.gates + (at.t * a.operands.x.batch + at.row) * saved, saved}, z = r.from(u), n = r.from(2 * u);
    const auto da_n = at.da, da_r = at.da.from(u), da_z = at.da.from(2 * u);
    if (a.reset == gru_reset::after)
      return kernels::map_rows(at.rows, u, std::array<lines, 7>{r, z, n, r.from(3 * u), at.h, at.dh, at.dy},
                               std::array{da_n, da_r, da_z, at.da.from(3 * u), at.dh},
                               kernels::gru_cell_after_backward<T>{});
    if (at.phase == 0)
      return kernels::map_rows(at.rows, u, std::array<lines, 5>{z, n, at.h, at.dh, at.dy},
                               std::array{da_z, da_n, at.dh}, kernels::gru_cell_before_backward<T>{});
    kernels::map_rows(at.rows, u, std::array<lines, 4>{r, at.h, at.other, at.dh}, std::array{da_r, at.dh, at.reset},
                      kernels::gru_reset_backward<T>{});
  }
};

}  // namespace detail

/// Schedules a GRU as lstm() is (cpu/lstm.hpp); with reset before each step is in two: r and z, then n from r∘h.
template <std::floating_point T>
[[nodiscard]] recurrent_prepared prepare(const native_cpu& on, const gru_args<T>& a,
                                         const prepare_options& options = {}) {
  return detail::prepare_recurrent(on, a.operands, detail::gru_sets(a.reset), gru_gates, options);
}
template <std::floating_point T>
void make_constants(const native_cpu& on, const recurrent_prepared& made, const gru_args<T>& a, void* to) {
  detail::pack_weights(on, made.schedule, a.operands, static_cast<T*>(to));
}
template <std::floating_point T>
void execute(const native_cpu& on, const recurrent_prepared& made, const gru_args<T>& a, const call_memory& memory) {
  const detail::gru_step<T> cell{a};
  const T* const none = nullptr;
  detail::run_recurrent(on, made, a.operands, detail::any_cell<T>::of(cell, none, a.recurrent_bias), memory);
}
template <std::floating_point T>
void execute(const native_cpu& on, const gru_args<T>& a) {
  detail::run_recurrent_once(on, a);
}

/// Schedules its gradient as that of lstm(); with reset before, dn goes back through its product before dr is made.
template <std::floating_point T>
[[nodiscard]] recurrent_back_prepared prepare(const native_cpu& on, const gru_backward_args<T>& a,
                                              const prepare_options& = {}) {
  return detail::prepare_recurrent_back(on, a.operands, gru_gates, detail::gru_layout(a.reset));
}
template <std::floating_point T>
void make_constants(const native_cpu&, const recurrent_back_prepared&, const gru_backward_args<T>&, void*) {}
template <std::floating_point T>
void execute(const native_cpu& on, const recurrent_back_prepared& made, const gru_backward_args<T>& a,
             const call_memory& memory) {
  const detail::gru_step_back<T> cell{a};
  detail::run_recurrent_back(on, made, a.operands, detail::any_cell_back<T>::of(cell), memory,
                             {.recurrent_bias = a.drecurrent_bias});
}
template <std::floating_point T>
void execute(const native_cpu& on, const gru_backward_args<T>& a) {
  detail::run_recurrent_once(on, a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
