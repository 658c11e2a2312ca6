// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/recurrent_backward.hpp>
#include <ridgepoint/kernels/recurrent/lstm_kernels.hpp>
#include <ridgepoint/ops/lstm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// c and h of some units from their gates' sums. c(t − 1) is where it was saved, or kept.
template <class T>
struct lstm_step {
  using element = T;
  static constexpr index_t gates = lstm_gates;
  const lstm_args<T>& a;

  [[nodiscard]] static constexpr std::array<gate_set, 1> sets() noexcept { return {{{.count = gates}}}; }
  [[nodiscard]] kept_state<T> kept() const noexcept { return {.first = a.c0, .last = a.last_c, .saved = a.c}; }
  [[nodiscard]] static constexpr const T* recurrent_bias() noexcept { return nullptr; }

  template <cpu_backend On>
  void step(const On& on, const kernels::cell_place<T>& at) const noexcept {
    on.template call<kernels::lstm_step<T>>(a, at);
  }
  void skip(const kernels::cell_place<T>& at) const noexcept {
    using lines = kernels::lines<T>;
    if (a.c == nullptr) return;
    const index_t u = a.operands.y.width, n = a.operands.x.batch, row = at.t * n + at.row;
    const lines c{a.c + row * u + at.unit, u}, saved{a.gates + row * gates * u + at.unit, gates * u};
    kernels::copy_rows<T>(at.rows, at.width, at.t == 0 ? at.kept : lines{c.data - n * u, u}, c);
    for (index_t k = 0; k < gates; ++k) kernels::fill_rows(at.rows, at.width, saved.from(k * u), T(0));
  }
};

/// The da of some samples; dc is kept.
template <class T>
struct lstm_step_back {
  using element = T;
  static constexpr index_t gates = lstm_gates;
  const lstm_backward_args<T>& a;

  [[nodiscard]] static constexpr back_layout layout() noexcept { return back_layout::of(gates); }
  [[nodiscard]] cell_gradients<T> asked() const noexcept { return {.kept = a.dc0, .first_kept = a.dlast_c}; }

  template <cpu_backend On>
  void step(const On& on, const kernels::cell_place_back<T>& at) const noexcept {
    on.template call<kernels::lstm_step_back<T>>(a, at);
  }
};

}  // namespace detail

template <std::floating_point T>
[[nodiscard]] detail::lstm_step<T> recurrent_cell_of(const lstm_args<T>& a) noexcept {
  return {a};
}
template <std::floating_point T>
[[nodiscard]] detail::lstm_step_back<T> recurrent_cell_of(const lstm_backward_args<T>& a) noexcept {
  return {a};
}
template <std::floating_point T>
decltype(detail::shared_recurrent_kernels<T>{} + type_list<kernels::lstm_step<T>>{}) kernels_of(const lstm_args<T>&);
template <std::floating_point T>
decltype(detail::recurrent_back_kernels<T>{} + type_list<kernels::lstm_step_back<T>>{})
    kernels_of(const lstm_backward_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
