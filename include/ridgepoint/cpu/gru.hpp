// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/recurrent_backward.hpp>
#include <ridgepoint/kernels/recurrent/gru_cell.hpp>
#include <ridgepoint/ops/gru.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

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

/// h(t) of some units from their gates' sums; with reset before in two phases, z kept meanwhile.
template <class T>
struct gru_step {
  using element = T;
  static constexpr index_t gates = gru_gates;
  const gru_args<T>& a;

  /// r and z, then n: apart from its recurrent product where r acts on that, or of r∘h, which r must have made before.
  [[nodiscard]] std::array<gate_set, 2> sets() const noexcept {
    const bool after = a.reset == gru_reset::after;
    return {{{.first = 0, .count = 2}, {.first = 2, .count = 1, .apart = after, .phase = after ? 0 : 1}}};
  }
  [[nodiscard]] static constexpr const T* kept() noexcept { return nullptr; }
  [[nodiscard]] const T* recurrent_bias() const noexcept { return a.recurrent_bias; }

  void step(const cell_place<T>& at) const noexcept {
    using lines = kernels::lines<T>;
    using read = kernels::lines<const T>;
    const index_t u = a.operands.y.width, saved = a.saved(a.reset) * u;
    const bool saves = a.gates != nullptr;
    T* const values = saves ? a.gates + (at.t * a.operands.x.batch + at.row) * saved + at.unit : at.kept.data;
    const lines r{values, saved}, z{values + (saves ? u : 0), saved}, n{values + (saves ? 2 * u : 0), saved};
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
    const lines y = at.rows_or_next(a.operands.y), kept = saves ? z : at.kept;
    if (a.reset == gru_reset::before && at.phase > 0)
      return with_saved(std::array{at.sums[2], read(kept), at.h}, std::array{at.next, y}, std::array{n},
                        kernels::gru_cell_before<T>{});
    kernels::with_gate<T>(a.gate, [&]<class Gate>(const Gate&) {
      if (a.reset == gru_reset::after)
        with_saved(std::array{at.sums[0], at.sums[1], at.sums[2], at.sums[3], at.h}, std::array{at.next, y},
                   std::array{r, z, n, n.from(u)}, kernels::gru_cell_after<T, Gate>{});
      else
        with_saved(std::array{at.sums[0], at.sums[1], at.h}, std::array{at.other, kept}, std::array{r},
                   kernels::gru_gates_before<T, Gate>{});
    });
  }
  void skip(const cell_place<T>& at) const noexcept {
    if (a.gates == nullptr) return;
    const index_t u = a.operands.y.width, saved = a.saved(a.reset) * u;
    T* const values = a.gates + (at.t * a.operands.x.batch + at.row) * saved + at.unit;
    for (index_t k = 0; k < saved; k += u)
      kernels::fill_rows(at.rows, at.width, kernels::lines<T>{values + k, saved}, T(0));
  }
};

/// The da of some samples, and the part of the gradient of the state before that goes through no product.
template <class T>
struct gru_step_back {
  using element = T;
  static constexpr index_t gates = gru_gates;
  const gru_backward_args<T>& a;

  [[nodiscard]] back_layout layout() const noexcept { return gru_layout(a.reset); }
  [[nodiscard]] cell_gradients<T> asked() const noexcept { return {.recurrent_bias = a.drecurrent_bias}; }

  void step(const cell_place_back<T>& at) const noexcept {
    using lines = kernels::lines<const T>;
    const index_t u = a.operands.y.width, saved = gru_args<T>::saved(a.reset) * u;
    const lines r{a.gates + (at.t * a.operands.x.batch + at.row) * saved, saved}, z = r.from(u), n = r.from(2 * u);
    const auto da_n = at.da, da_r = at.da.from(u), da_z = at.da.from(2 * u);
    kernels::with_gate<T>(a.gate, [&]<class Gate>(const Gate&) {
      if (a.reset == gru_reset::after)
        kernels::map_rows(at.rows, u, std::array<lines, 7>{r, z, n, r.from(3 * u), at.h, at.dh, at.dy},
                          std::array{da_n, da_r, da_z, at.da.from(3 * u), at.dh},
                          kernels::gru_cell_after_backward<T, Gate>{});
      else if (at.phase == 0)
        kernels::map_rows(at.rows, u, std::array<lines, 5>{z, n, at.h, at.dh, at.dy}, std::array{da_z, da_n, at.dh},
                          kernels::gru_cell_before_backward<T, Gate>{});
      else
        kernels::map_rows(at.rows, u, std::array<lines, 4>{r, at.h, at.other, at.dh}, std::array{da_r, at.dh, at.reset},
                          kernels::gru_reset_backward<T, Gate>{});
    });
  }
};

}  // namespace detail

template <std::floating_point T>
[[nodiscard]] detail::gru_step<T> recurrent_cell_of(const gru_args<T>& a) noexcept {
  return {a};
}
template <std::floating_point T>
[[nodiscard]] detail::gru_step_back<T> recurrent_cell_of(const gru_backward_args<T>& a) noexcept {
  return {a};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
