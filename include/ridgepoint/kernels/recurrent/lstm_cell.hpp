// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/kernels/map/activation.hpp>

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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
