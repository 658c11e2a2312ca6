// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/kernels/map/activation.hpp>

/// \file
/// One step of a GRU for as many units as a register holds: reset after the recurrent product in one part, reset before
/// it in two, between which r∘h is multiplied. Gate is σ, a pair of map/activation.hpp.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// (1 − z)·n + z·h.
template <class T>
RIDGEPOINT_INLINE simd::batch<T> gru_state(simd::batch<T> z, simd::batch<T> n, simd::batch<T> h) noexcept {
  return simd::fma(z, h, (simd::batch<T>(T(1)) - z) * n);
}

/// r, z ← σ of the sums; n ← tanh(x + r·q), q being the recurrent product; h ← (1 − z)·n + z·h. Gives h, h, and to be
/// saved r, z, n, q.
template <class T, class Gate>
struct gru_cell_after {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 6> operator()(batch r, batch z, batch x, batch q, batch h) const noexcept {
    constexpr Gate gate;
    r = gate(r)[0], z = gate(z)[0];
    const batch n = simd::tanh(simd::fma(r, q, x));
    h = gru_state<T>(z, n, h);
    return {h, h, r, z, n, q};
  }
};
/// r, z ← σ of the sums. Gives r·h, z, r.
template <class T, class Gate>
struct gru_gates_before {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 3> operator()(batch r, batch z, batch h) const noexcept {
    constexpr Gate gate;
    r = gate(r)[0];
    return {r * h, gate(z)[0], r};
  }
};
/// n ← tanh of the sum; h ← (1 − z)·n + z·h. Gives h, h, n.
template <class T>
struct gru_cell_before {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 3> operator()(batch n, batch z, batch h) const noexcept {
    n = simd::tanh(n);
    h = gru_state<T>(z, n, h);
    return {h, h, n};
  }
};

/// dn = dh·(1 − z) and dz = dh·(h − n), through their activations; dq = dn·r and dr = dn·q through its own. Gives da of
/// n, r, z, q, and dh·z, the part of the step before that goes through no product. dh comes in two parts.
template <class T, class Gate>
struct gru_cell_after_backward {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 5> operator()(batch r, batch z, batch n, batch q, batch h, batch dh,
                                                    batch dy) const noexcept {
    constexpr Gate gate;
    const batch one(T(1));
    dh = dh + dy;
    const batch dn = dh * (one - z) * (one - n * n), dz = gate(z, dh * (h - n))[0];
    return {dn, gate(r, dn * q)[0], dz, dn * r, dh * z};
  }
};
/// The same for reset before, but for what r is in: gives da of z and n, and dh·z.
template <class T, class Gate>
struct gru_cell_before_backward {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 3> operator()(batch z, batch n, batch h, batch dh, batch dy) const noexcept {
    constexpr Gate gate;
    const batch one(T(1));
    dh = dh + dy;
    return {gate(z, dh * (h - n))[0], dh * (one - z) * (one - n * n), dh * z};
  }
};
/// From the gradient of r·h: gives da of r, dh + that·r, and r·h, the operand of the product's weights.
template <class T, class Gate>
struct gru_reset_backward {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 3> operator()(batch r, batch h, batch drh, batch dh) const noexcept {
    constexpr Gate gate;
    return {gate(r, drh * h)[0], simd::fma(drh, r, dh), r * h};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
