// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/kernels/recurrent/gru_kernels.hpp>
#include <ridgepoint/kernels/recurrent/map_rows.hpp>

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

template <class T>
void gru_step<T>::run(const gru_args<T>& a, const cell_place<T>& at) noexcept {
  using read = lines<const T>;
  const index_t u = a.operands.y.width, saved = a.saved(a.reset) * u;
  const bool saves = a.gates != nullptr;
  T* const values = saves ? a.gates + (at.t * a.operands.x.batch + at.row) * saved + at.unit : at.kept.data;
  const lines<T> r{values, saved}, z{values + (saves ? u : 0), saved}, n{values + (saves ? 2 * u : 0), saved};
  const auto map = [&]<std::size_t Ins, std::size_t Outs>(const std::array<read, Ins>& in,
                                                          const std::array<lines<T>, Outs>& out, const auto& formula) {
    map_rows(at.rows, at.width, in, out, formula);
  };
  const auto with_saved = [&]<std::size_t Ins, std::size_t Always, std::size_t Saved>(
                              const std::array<read, Ins>& in, const std::array<lines<T>, Always>& always,
                              const std::array<lines<T>, Saved>& more, const auto& formula) {
    if (!saves) return map(in, always, formula);
    std::array<lines<T>, Always + Saved> all;
    std::copy(more.begin(), more.end(), std::copy(always.begin(), always.end(), all.begin()));
    map(in, all, formula);
  };
  const lines<T> y = at.rows_or_next(a.operands.y), kept = saves ? z : at.kept;
  if (a.reset == gru_reset::before && at.phase > 0)
    return with_saved(std::array{at.sums[2], read(kept), at.h}, std::array{at.next, y}, std::array{n},
                      gru_cell_before<T>{});
  with_gate<T>(a.gate, [&]<class Gate>(const Gate&) {
    if (a.reset == gru_reset::after)
      with_saved(std::array{at.sums[0], at.sums[1], at.sums[2], at.sums[3], at.h}, std::array{at.next, y},
                 std::array{r, z, n, n.from(u)}, gru_cell_after<T, Gate>{});
    else
      with_saved(std::array{at.sums[0], at.sums[1], at.h}, std::array{at.other, kept}, std::array{r},
                 gru_gates_before<T, Gate>{});
  });
}

template <class T>
void gru_step_back<T>::run(const gru_backward_args<T>& a, const cell_place_back<T>& at) noexcept {
  using read = lines<const T>;
  const index_t u = a.operands.y.width, saved = gru_args<T>::saved(a.reset) * u;
  const read r{a.gates + (at.t * a.operands.x.batch + at.row) * saved, saved}, z = r.from(u), n = r.from(2 * u);
  const auto da_n = at.da, da_r = at.da.from(u), da_z = at.da.from(2 * u);
  with_gate<T>(a.gate, [&]<class Gate>(const Gate&) {
    if (a.reset == gru_reset::after)
      map_rows(at.rows, u, std::array<read, 7>{r, z, n, r.from(3 * u), at.h, at.dh, at.dy},
               std::array{da_n, da_r, da_z, at.da.from(3 * u), at.dh}, gru_cell_after_backward<T, Gate>{});
    else if (at.phase == 0)
      map_rows(at.rows, u, std::array<read, 5>{z, n, at.h, at.dh, at.dy}, std::array{da_z, da_n, at.dh},
               gru_cell_before_backward<T, Gate>{});
    else
      map_rows(at.rows, u, std::array<read, 4>{r, at.h, at.other, at.dh}, std::array{da_r, at.dh, at.reset},
               gru_reset_backward<T, Gate>{});
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
