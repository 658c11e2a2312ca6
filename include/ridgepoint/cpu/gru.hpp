// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/recurrent_backward.hpp>
#include <ridgepoint/kernels/recurrent/gru_kernels.hpp>
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
  [[nodiscard]] static constexpr kept_state<T> kept() noexcept { return {}; }
  [[nodiscard]] const T* recurrent_bias() const noexcept { return a.recurrent_bias; }

  template <cpu_backend On>
  void step(const On& on, const kernels::cell_place<T>& at) const noexcept {
    on.template call<kernels::gru_step<T>>(a, at);
  }
  void skip(const kernels::cell_place<T>& at) const noexcept {
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

  template <cpu_backend On>
  void step(const On& on, const kernels::cell_place_back<T>& at) const noexcept {
    on.template call<kernels::gru_step_back<T>>(a, at);
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
template <std::floating_point T>
decltype(detail::shared_recurrent_kernels<T>{} + type_list<kernels::gru_step<T>>{}) kernels_of(const gru_args<T>&);
template <std::floating_point T>
decltype(detail::recurrent_back_kernels<T>{} + type_list<kernels::gru_step_back<T>>{})
    kernels_of(const gru_backward_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
