// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/kernels/recurrent/lstm_kernels.hpp>
#include <ridgepoint/kernels/recurrent/map_rows.hpp>

/// \file
/// One step of an LSTM for as many units as a register holds; Gate is σ, a pair of map/activation.hpp.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// i, f, g, o ← σ, σ, tanh, σ of the sums; c ← f·c + i·g; h ← o·tanh(c). Gives h, h, c, and to be saved i, f, g, o.
template <class T, class Gate>
struct lstm_cell {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 7> operator()(batch i, batch f, batch g, batch o, batch c) const noexcept {
    constexpr Gate gate;
    i = gate(i)[0], f = gate(f)[0], g = simd::tanh(g), o = gate(o)[0];
    c = simd::fma(f, c, i * g);
    const batch h = o * simd::tanh(c);
    return {h, h, c, i, f, g, o};
  }
};

/// dc ← dc + dh·o·(1 − tanh²(c)), and through each activation da: di = dc·g, df = dc·c(t − 1), dg = dc·i,
/// do = dh·tanh(c). Gives da of i, f, g, o, and dc·f for the step before. dh comes in two parts.
template <class T, class Gate>
struct lstm_cell_backward {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 5> operator()(batch i, batch f, batch g, batch o, batch c, batch before, batch dh,
                                                    batch dy, batch dc) const noexcept {
    constexpr Gate gate;
    const batch one(T(1)), tc = simd::tanh(c);
    dh = dh + dy;
    dc = simd::fma(dh * o, one - tc * tc, dc);
    return {gate(i, dc * g)[0], gate(f, dc * before)[0], dc * i * (one - g * g), gate(o, dh * tc)[0], dc * f};
  }
};

template <class T>
void lstm_step<T>::run(const lstm_args<T>& a, const cell_place<T>& at) noexcept {
  const index_t u = a.operands.y.width, n = a.operands.x.batch, row = at.t * n + at.row;
  const auto step = [&](const lines<T>& before, const auto& out) {
    with_gate<T>(a.gate, [&]<class Gate>(const Gate&) {
      map_rows(at.rows, at.width, std::array<lines<const T>, 5>{at.sums[0], at.sums[1], at.sums[2], at.sums[3], before},
               out, lstm_cell<T, Gate>{});
    });
  };
  const lines<T> y = at.rows_or_next(a.operands.y);
  if (a.c == nullptr) return step(at.kept, std::array{at.next, y, at.kept});
  const lines<T> c{a.c + row * u + at.unit, u}, saved{a.gates + row * lstm_gates * u + at.unit, lstm_gates * u};
  step(at.t == 0 ? at.kept : lines<T>{c.data - n * u, u},
       std::array{at.next, y, c, saved, saved.from(u), saved.from(2 * u), saved.from(3 * u)});
}

template <class T>
void lstm_step_back<T>::run(const lstm_backward_args<T>& a, const cell_place_back<T>& at) noexcept {
  using read = lines<const T>;
  const index_t u = a.operands.y.width, n = a.operands.x.batch, row = at.t * n + at.row;
  const read saved{a.gates + row * lstm_gates * u, lstm_gates * u}, c{a.c + row * u, u};
  const read before = at.t == 0 ? at.rows_of(a.c0, u) : read{c.data - n * u, u};
  with_gate<T>(a.gate, [&]<class Gate>(const Gate&) {
    map_rows(at.rows, u,
             std::array<read, 9>{saved, saved.from(u), saved.from(2 * u), saved.from(3 * u), c, before, at.dh, at.dy,
                                 at.kept},
             std::array{at.da, at.da.from(u), at.da.from(2 * u), at.da.from(3 * u), at.kept},
             lstm_cell_backward<T, Gate>{});
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
