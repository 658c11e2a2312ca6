// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/recurrent_backward.hpp>
#include <ridgepoint/kernels/recurrent/recurrent_kernels.hpp>
#include <ridgepoint/ops/gru.hpp>
#include <ridgepoint/ops/lstm.hpp>
#include <ridgepoint/ops/rnn.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Computes c and h of some units from their gate sums. c(t − 1) is read from the saved states, or kept.
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

/// Computes da of some samples; dc is kept.
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

namespace detail {

/// da of n, r, z, and with reset after also of the product that r multiplies.
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

/// Computes h(t) of some units from their gate sums; with reset before in two phases, keeping z meanwhile.
template <class T>
struct gru_step {
  using element = T;
  static constexpr index_t gates = gru_gates;
  const gru_args<T>& a;

  /// Returns r and z, then n: with reset after, separate from its recurrent product, which r multiplies; with reset
  /// before, of r∘h, which r computes in phase 0.
  [[nodiscard]] std::array<gate_set, 2> sets() const noexcept {
    const bool after = a.reset == gru_reset::after;
    return {{{.first = 0, .count = 2}, {.first = 2, .count = 1, .separate = after, .phase = after ? 0 : 1}}};
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

/// Computes da of some samples, and the part of the previous state's gradient that passes through no product.
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

namespace detail {

/// Computes h(t) of some units from their sums.
template <class T>
struct rnn_step {
  using element = T;
  static constexpr index_t gates = rnn_gates;
  const rnn_args<T>& a;

  [[nodiscard]] static constexpr std::array<gate_set, 1> sets() noexcept { return {{{.count = gates}}}; }
  [[nodiscard]] static constexpr kept_state<T> kept() noexcept { return {}; }
  [[nodiscard]] static constexpr const T* recurrent_bias() noexcept { return nullptr; }

  template <cpu_backend On>
  void step(const On& on, const kernels::cell_place<T>& at) const noexcept {
    on.template call<kernels::rnn_step<T>>(a, at);
  }
  static void skip(const kernels::cell_place<T>&) noexcept {}
};

/// da ← f'(h(t))·dh.
template <class T>
struct rnn_step_back {
  using element = T;
  static constexpr index_t gates = rnn_gates;
  const rnn_backward_args<T>& a;

  [[nodiscard]] static constexpr back_layout layout() noexcept { return back_layout::of(gates); }
  [[nodiscard]] static constexpr cell_gradients<T> asked() noexcept { return {}; }

  template <cpu_backend On>
  void step(const On& on, const kernels::cell_place_back<T>& at) const noexcept {
    on.template call<kernels::rnn_step_back<T>>(a, at);
  }
};

}  // namespace detail

template <std::floating_point T>
[[nodiscard]] detail::rnn_step<T> recurrent_cell_of(const rnn_args<T>& a) noexcept {
  return {a};
}
template <std::floating_point T>
[[nodiscard]] detail::rnn_step_back<T> recurrent_cell_of(const rnn_backward_args<T>& a) noexcept {
  return {a};
}
template <std::floating_point T>
decltype(detail::shared_recurrent_kernels<T>{} + type_list<kernels::rnn_step<T>>{}) kernels_of(const rnn_args<T>&);
template <std::floating_point T>
decltype(detail::recurrent_back_kernels<T>{} + type_list<kernels::rnn_step_back<T>>{})
    kernels_of(const rnn_backward_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
