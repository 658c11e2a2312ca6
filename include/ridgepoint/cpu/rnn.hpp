// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/recurrent_backward.hpp>
#include <ridgepoint/kernels/map/activation.hpp>
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
  [[nodiscard]] static constexpr const T* kept() noexcept { return nullptr; }
  [[nodiscard]] static constexpr const T* recurrent_bias() noexcept { return nullptr; }

  void step(const cell_place<T>& at) const noexcept {
    using batch = simd::batch<T>;
    kernels::with_activation<T>(a.act, T(0), [&](const auto& f) {
      kernels::map_rows(at.rows, at.width, std::array{at.sums[0]}, std::array{at.next, at.rows_or_next(a.operands.y)},
                        [&](batch sum) RIDGEPOINT_INLINE_LAMBDA -> std::array<batch, 2> {
                          const batch h = f(sum)[0];
                          return {h, h};
                        });
    });
  }
  static void skip(const cell_place<T>&) noexcept {}
};

/// da ← f'(h(t))·dh.
template <class T>
struct rnn_step_back {
  using element = T;
  static constexpr index_t gates = rnn_gates;
  const rnn_backward_args<T>& a;

  [[nodiscard]] static constexpr back_layout layout() noexcept { return back_layout::of(gates); }
  [[nodiscard]] static constexpr cell_gradients<T> asked() noexcept { return {}; }

  void step(const cell_place_back<T>& at) const noexcept {
    using batch = simd::batch<T>;
    using lines = kernels::lines<const T>;
    const lines y{&a.operands.y(at.t, at.row, 0), a.operands.y.sample_stride};
    kernels::with_activation<T>(a.act, T(0), [&](const auto& f) {
      kernels::map_rows(at.rows, a.operands.y.width, std::array<lines, 3>{y, at.dh, at.dy}, std::array{at.da},
                        [&](batch h, batch dh, batch dy) RIDGEPOINT_INLINE_LAMBDA { return f(h, dh + dy); });
    });
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
