// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/recurrent_backward.hpp>
#include <ridgepoint/kernels/recurrent/rnn_kernels.hpp>
#include <ridgepoint/ops/rnn.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// h(t) of some units from their sums.
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
