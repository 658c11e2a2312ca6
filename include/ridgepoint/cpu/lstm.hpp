// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/recurrent_backward.hpp>
#include <ridgepoint/kernels/recurrent/lstm_cell.hpp>
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
  [[nodiscard]] const T* kept() const noexcept { return a.c0; }
  [[nodiscard]] static constexpr const T* recurrent_bias() noexcept { return nullptr; }

  void step(const cell_place<T>& at) const noexcept {
    using lines = kernels::lines<T>;
    const index_t u = a.operands.y.width, n = a.operands.x.batch, row = at.t * n + at.row;
    const auto run = [&](const lines& before, const auto& out) {
      kernels::with_gate<T>(a.gate, [&]<class Gate>(const Gate&) {
        kernels::map_rows(
            at.rows, at.width,
            std::array<kernels::lines<const T>, 5>{at.sums[0], at.sums[1], at.sums[2], at.sums[3], before}, out,
            kernels::lstm_cell<T, Gate>{});
      });
    };
    const lines y = at.rows_or_next(a.operands.y);
    if (a.c == nullptr) {
      run(at.kept, std::array{at.next, y, at.kept});
      return copy_last(at, at.kept);
    }
    const lines c{a.c + row * u + at.unit, u}, saved{a.gates + row * gates * u + at.unit, gates * u};
    run(at.t == 0 ? at.kept : lines{c.data - n * u, u},
        std::array{at.next, y, c, saved, saved.from(u), saved.from(2 * u), saved.from(3 * u)});
    copy_last(at, c);
  }
  void skip(const cell_place<T>& at) const noexcept {
    using lines = kernels::lines<T>;
    if (a.c == nullptr) return copy_last(at, at.kept);
    const index_t u = a.operands.y.width, n = a.operands.x.batch, row = at.t * n + at.row;
    const lines c{a.c + row * u + at.unit, u}, saved{a.gates + row * gates * u + at.unit, gates * u};
    copy(at, at.t == 0 ? at.kept : lines{c.data - n * u, u}, c);
    for (index_t k = 0; k < gates; ++k) kernels::fill_rows(at.rows, at.width, saved.from(k * u), T(0));
    copy_last(at, c);
  }

 private:
  static void copy(const cell_place<T>& at, const kernels::lines<const T>& from, const kernels::lines<T>& to) noexcept {
    kernels::map_rows(at.rows, at.width, std::array{from}, std::array{to},
                      [](simd::batch<T> c) RIDGEPOINT_INLINE_LAMBDA { return std::array{c}; });
  }
  /// last_c ← c of the last step.
  void copy_last(const cell_place<T>& at, const kernels::lines<const T>& c) const noexcept {
    const index_t u = a.operands.y.width;
    if (a.last_c != nullptr && at.t + 1 == a.operands.x.steps) copy(at, c, {a.last_c + at.row * u + at.unit, u});
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

  void step(const cell_place_back<T>& at) const noexcept {
    using lines = kernels::lines<const T>;
    const index_t u = a.operands.y.width, n = a.operands.x.batch, row = at.t * n + at.row;
    const lines saved{a.gates + row * gates * u, gates * u}, c{a.c + row * u, u};
    const lines before = at.t == 0 ? at.rows_of(a.c0, u) : lines{c.data - n * u, u};
    kernels::with_gate<T>(a.gate, [&]<class Gate>(const Gate&) {
      kernels::map_rows(at.rows, u,
                        std::array<lines, 9>{saved, saved.from(u), saved.from(2 * u), saved.from(3 * u), c, before,
                                             at.dh, at.dy, at.kept},
                        std::array{at.da, at.da.from(u), at.da.from(2 * u), at.da.from(3 * u), at.kept},
                        kernels::lstm_cell_backward<T, Gate>{});
    });
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
