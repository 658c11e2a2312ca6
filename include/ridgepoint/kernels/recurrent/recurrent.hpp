// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/gemm/macrokernel.hpp>
#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/kernels/recurrent/recurrent_kernels.hpp>
#include <ridgepoint/simd/lanes.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// out(i, j)… ← formula(in(i, j)…) for i < rows and j < width: a register at a time along each row, the last partial.
///
/// formula takes one simd::batch per input and returns an array of one per output, or of more; surplus ones at the end
/// are ignored. All inputs of a register are read before its outputs are written, in order: an output may be an input,
/// and two outputs may be the same memory. Only the first `wanted` outputs are written. The formula is compiled once:
/// next to a cell's, the decisions per register cost nothing.
template <class T, std::size_t Ins, std::size_t Outs, class Formula>
RIDGEPOINT_INLINE void map_rows(index_t rows, index_t width, std::array<lines<const T>, Ins> in,
                                std::array<lines<T>, Outs> out, const Formula& formula,
                                std::size_t wanted = Outs) noexcept {
  using batch = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>;
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < width; j += lanes) {
      const index_t n = width - j;
      std::array<batch, Ins> x;
      if (n >= lanes) {
        RIDGEPOINT_UNROLL
        for (std::size_t k = 0; k < Ins; ++k) x[k] = simd::load(in[k].data + j);
      } else {
        for (std::size_t k = 0; k < Ins; ++k) x[k] = simd::load_partial(in[k].data + j, n);
      }
      const auto result = [&]<std::size_t... Input>(std::index_sequence<Input...>) RIDGEPOINT_INLINE_LAMBDA {
        return formula(x[Input]...);
      }
      (std::make_index_sequence<Ins>{});
      RIDGEPOINT_UNROLL
      for (std::size_t o = 0; o < Outs; ++o) {
        if (o == wanted) break;
        if (n >= lanes) simd::store(out[o].data + j, result[o]);
        else simd::store_partial(out[o].data + j, result[o], n);
      }
    }
    for (auto& row : in) row.data += row.ld;
    for (std::size_t o = 0; o < wanted; ++o) out[o].data += out[o].ld;
  }
}

/// Prefetch distance of packed weights, ahead of the first tile that reads them: a layer's weights seldom stay in L2.
template <class T>
inline constexpr index_t fetched_weights = 4096 / static_cast<index_t>(sizeof(T));

/// Multiplies panel by panel: a panel of weights, in L1 or L2, serves all tiles of a.
template <class T>
void times_panels<T>::run(const panel_product<T>& p) noexcept {
  constexpr index_t nr = panel_width<T>(native_unit), copies = a_block<T>::copies;
  const auto split = tile_split::of(p.a.rows, native_unit);
  const a_block<T> a =
      p.packed_a == nullptr
          ? a_block<T>{.data = p.a.data, .per_row = p.a.row_stride, .row = p.a.row_stride, .step = 1}
          : a_block<T>{.data = p.packed_a, .per_row = p.a.cols * copies, .row = copies, .step = 0, .packed = true};
  tile_epilogue<T> epilogue{.beta = p.beta, .bias = p.bias};
  const T* weights = p.weights;
  T* c = p.c;
  for (index_t unit = 0; unit < p.columns; unit += nr)
    for (index_t k = 0; k < p.gates; ++k, weights += p.panel, c += nr) {
      block_times_panels<T>(a, split, {weights, p.panel, nr, fetched_weights<T>}, (std::min)(nr, p.columns - unit),
                            p.a.cols, c, p.ldc, epilogue);
      if (epilogue.bias != nullptr) epilogue.bias += nr;
    }
}

template <class T>
void pack_rows<T>::run(const matrix_view<const T>& a, T* to) noexcept {
  static_cast<void>(a_block<T>::of(a, tile_split::of(a.rows, native_unit), to));
}

template <class T>
void pack_gates<T>::run(const matrix_view<const T>& weights, index_t gates, index_t panel, T* to) noexcept {
  constexpr index_t nr = panel_width<T>(native_unit);
  const index_t units = weights.cols / gates;
  for (index_t k = 0; k < gates; ++k)
    for (index_t unit = 0; unit < units; unit += nr)
      pack_b_panel<T>(weights.block(0, k * units + unit, weights.rows, (std::min)(nr, units - unit)),
                      to + (unit / nr * gates + k) * panel);
}

template <class T>
void add_gate_biases<T>::run(const T* bias, index_t gates, index_t units, index_t width, T* to) noexcept {
  for (index_t first = 0; first < units; first += width)
    for (index_t k = 0; k < gates; ++k, to += width)
      for (index_t u = 0; u < (std::min)(width, units - first); ++u) to[u] += bias[k * units + first + u];
}

template <class T>
void add_rows<T>::run(index_t rows, index_t width, const lines<const T>& a, const lines<const T>& b, const lines<T>& to,
                      const lines<T>& copy) noexcept {
  map_rows(rows, width, std::array{a, b}, std::array{to, copy},
           [](simd::batch<T> x, simd::batch<T> y) RIDGEPOINT_INLINE_LAMBDA {
             const simd::batch<T> sum = x + y;
             return std::array{sum, sum};
           });
}

// One step of a GRU for one register of units: in one part if the reset is after the recurrent product, in two if it
// is before; between the two parts r∘h is multiplied. Gate is σ, a pair of map/activation.hpp.

/// (1 − z)·n + z·h.
template <class T>
RIDGEPOINT_INLINE simd::batch<T> gru_state(simd::batch<T> z, simd::batch<T> n, simd::batch<T> h) noexcept {
  return simd::fma(z, h, (simd::batch<T>(T(1)) - z) * n);
}

/// r, z ← σ of the sums; n ← tanh(x + r·q), where q is the recurrent product; h ← (1 − z)·n + z·h. Returns h, h, and,
/// to be saved, r, z, n, q.
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
/// r, z ← σ of the sums. Returns r·h, z, r.
template <class T, class Gate>
struct gru_gates_before {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 3> operator()(batch r, batch z, batch h) const noexcept {
    constexpr Gate gate;
    r = gate(r)[0];
    return {r * h, gate(z)[0], r};
  }
};
/// n ← tanh of the sum; h ← (1 − z)·n + z·h. Returns h, h, n.
template <class T>
struct gru_cell_before {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 3> operator()(batch n, batch z, batch h) const noexcept {
    n = simd::tanh(n);
    h = gru_state<T>(z, n, h);
    return {h, h, n};
  }
};

/// dn = dh·(1 − z) and dz = dh·(h − n), through their activations; dq = dn·r and dr = dn·q through its own. Returns da
/// of n, r, z, q, and dh·z, the part of the previous step's gradient that bypasses the products. dh comes in two parts.
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
/// Gradients with the reset before, except those through r: returns da of z and n, and dh·z.
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
/// From the gradient g of r·h: returns da of r, dh + g·r, and r·h, the operand of the weights' product.
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
  const auto with_saved = [&]<std::size_t Ins, std::size_t Always, std::size_t Saved>(
                              const std::array<read, Ins>& in, const std::array<lines<T>, Always>& always,
                              const std::array<lines<T>, Saved>& more, const auto& formula) {
    std::array<lines<T>, Always + Saved> all;
    std::copy(more.begin(), more.end(), std::copy(always.begin(), always.end(), all.begin()));
    map_rows(at.rows, at.width, in, all, formula, saves ? Always + Saved : Always);
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

// One step of an LSTM for one register of units; Gate is σ, a pair of map/activation.hpp.

/// i, f, g, o ← σ, σ, tanh, σ of the sums; c ← f·c + i·g; h ← o·tanh(c). Returns h, h, c, and, to be saved, i, f, g, o.
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

/// dc ← dc + dh·o·(1 − tanh²(c)), and da through each activation: di = dc·g, df = dc·c(t − 1), dg = dc·i,
/// do = dh·tanh(c). Returns da of i, f, g, o, and dc·f for the previous step. dh comes in two parts.
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
  const bool saves = a.c != nullptr;
  const lines<T> y = at.rows_or_next(a.operands.y);
  std::array<lines<T>, 7> out{at.next, y, at.kept};
  lines<T> before = at.kept;
  if (saves) {
    const lines<T> c{a.c + row * u + at.unit, u}, saved{a.gates + row * lstm_gates * u + at.unit, lstm_gates * u};
    if (at.t != 0) before = {c.data - n * u, u};
    out = {at.next, y, c, saved, saved.from(u), saved.from(2 * u), saved.from(3 * u)};
  }
  with_gate<T>(a.gate, [&]<class Gate>(const Gate&) {
    map_rows(at.rows, at.width, std::array<lines<const T>, 5>{at.sums[0], at.sums[1], at.sums[2], at.sums[3], before},
             out, lstm_cell<T, Gate>{}, saves ? 7 : 3);
  });
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

template <class T>
void rnn_step<T>::run(const rnn_args<T>& a, const cell_place<T>& at) noexcept {
  using batch = simd::batch<T>;
  with_activation<T>(a.act, T(0), [&](const auto& f) {
    map_rows(at.rows, at.width, std::array{at.sums[0]}, std::array{at.next, at.rows_or_next(a.operands.y)},
             [&](batch sum) RIDGEPOINT_INLINE_LAMBDA -> std::array<batch, 2> {
               const batch h = f(sum)[0];
               return {h, h};
             });
  });
}

template <class T>
void rnn_step_back<T>::run(const rnn_backward_args<T>& a, const cell_place_back<T>& at) noexcept {
  using batch = simd::batch<T>;
  const lines<const T> y{&a.operands.y(at.t, at.row, 0), a.operands.y.sample_stride};
  with_activation<T>(a.act, T(0), [&](const auto& f) {
    map_rows(at.rows, a.operands.y.width, std::array<lines<const T>, 3>{y, at.dh, at.dy}, std::array{at.da},
             [&](batch h, batch dh, batch dy) RIDGEPOINT_INLINE_LAMBDA { return f(h, dh + dy); });
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
