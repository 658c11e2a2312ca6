// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/simd/math.hpp>

/// \file
/// One step of an LSTM for as many units as a register holds.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// i, f, g, o ← σ, σ, tanh, σ of the sums; c ← f·c + i·g; h ← o·tanh(c). Gives h, h, c, and to be saved i, f, g, o.
template <class T>
struct lstm_cell {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 7> operator()(batch i, batch f, batch g, batch o, batch c) const noexcept {
    i = simd::sigmoid(i), f = simd::sigmoid(f), g = simd::tanh(g), o = simd::sigmoid(o);
    c = simd::fma(f, c, i * g);
    const batch h = o * simd::tanh(c);
    return {h, h, c, i, f, g, o};
  }
};

/// dc ← dc + dh·o·(1 − tanh²(c)), and through each activation da: di = dc·g, df = dc·c(t − 1), dg = dc·i,
/// do = dh·tanh(c). Gives da of i, f, g, o, and dc·f for the step before. dh comes in two parts.
template <class T>
struct lstm_cell_backward {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 5> operator()(batch i, batch f, batch g, batch o, batch c, batch before, batch dh,
                                                    batch dy, batch dc) const noexcept {
    const batch one(T(1)), tc = simd::tanh(c);
    dh = dh + dy;
    dc = simd::fma(dh * o, one - tc * tc, dc);
    return {dc * g * (i * (one - i)), dc * before * (f * (one - f)), dc * i * (one - g * g), dh * tc * (o * (one - o)),
            dc * f};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
