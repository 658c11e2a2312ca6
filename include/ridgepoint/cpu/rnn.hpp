// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/recurrent_backward.hpp>
#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/ops/rnn.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

inline constexpr std::array<gate_set, 1> rnn_sets{{{.first = 0, .count = rnn_gates}}};

/// h(t) of some units from their sums.
template <class T>
struct rnn_step {
  const rnn_args<T>& a;

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
};

/// da ← f'(h(t))·dh.
template <class T>
struct rnn_step_back {
  const rnn_backward_args<T>& a;

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

/// Schedules rnn() as lstm() is (cpu/lstm.hpp), with one gate.
template <std::floating_point T>
[[nodiscard]] recurrent_prepared prepare(const native_cpu& on, const rnn_args<T>& a,
                                         const prepare_options& options = {}) {
  return detail::prepare_recurrent(on, a.operands, detail::rnn_sets, rnn_gates, options);
}
template <std::floating_point T>
void make_constants(const native_cpu& on, const recurrent_prepared& made, const rnn_args<T>& a, void* to) {
  detail::pack_weights(on, made.schedule, a.operands, static_cast<T*>(to));
}
template <std::floating_point T>
void execute(const native_cpu& on, const recurrent_prepared& made, const rnn_args<T>& a, const call_memory& memory) {
  const detail::rnn_step<T> cell{a};
  detail::run_recurrent(on, made, a.operands, detail::any_cell<T>::of(cell), memory);
}
template <std::floating_point T>
void execute(const native_cpu& on, const rnn_args<T>& a) {
  detail::run_recurrent_once(on, a);
}

/// Schedules its gradient as that of lstm().
template <std::floating_point T>
[[nodiscard]] recurrent_back_prepared prepare(const native_cpu& on, const rnn_backward_args<T>& a,
                                              const prepare_options& = {}) {
  return detail::prepare_recurrent_back(on, a.operands, rnn_gates, detail::back_layout::of(rnn_gates));
}
template <std::floating_point T>
void make_constants(const native_cpu&, const recurrent_back_prepared&, const rnn_backward_args<T>&, void*) {}
template <std::floating_point T>
void execute(const native_cpu& on, const recurrent_back_prepared& made, const rnn_backward_args<T>& a,
             const call_memory& memory) {
  const detail::rnn_step_back<T> cell{a};
  detail::run_recurrent_back(on, made, a.operands, detail::any_cell_back<T>::of(cell), memory, {});
}
template <std::floating_point T>
void execute(const native_cpu& on, const rnn_backward_args<T>& a) {
  detail::run_recurrent_once(on, a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
