// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include <ridgepoint/gpu/platform.hpp>
#include <ridgepoint/ops/all.hpp>

/// \file
/// products(args): the matrix products that a GPU library runs for an op.
namespace ridgepoint::inline RIDGEPOINT_ABI::gpu {

/// C(m×n) = A(m×k)·B(k×n): `count` products in parallel, repeated `turns` times in sequence.
struct product {
  index_t m = 0, n = 0, k = 0;
  index_t count = 1, turns = 1;
  friend bool operator==(const product&, const product&) = default;
};

/// The part of C that one multiprocessor computes at a time.
struct tile {
  index_t m = 0, n = 0;

  /// Returns the fraction of a multiprocessor's rate relative to the largest tile: i / (i + 32) with i = m·n / (m + n),
  /// the multiply-adds per value loaded. A tile of 128 × 128 has 92 % of the rate of 256 × 128, one of 64 × 64 has
  /// 69 %, one of 32 × 32 46 %.
  [[nodiscard]] constexpr double share() const noexcept { return saturation(m, n) / saturation(256, 128); }
  friend bool operator==(const tile&, const tile&) = default;

 private:
  [[nodiscard]] static constexpr double saturation(index_t m, index_t n) noexcept {
    const double i = static_cast<double>(m * n) / static_cast<double>(m + n);
    return i / (i + 32);
  }
};

/// A library's tiling of a product, and the multiprocessors' time for it.
struct tiling {
  tile each = {};
  index_t split = 1;                   // parts of k, whose sums are added afterwards
  index_t blocks = 0;                  // tiles · split · count
  index_t waves = 0;                   // ⌈blocks / multiprocessors⌉
  double product_s = 0, reduce_s = 0;  // of one turn

  [[nodiscard]] constexpr double total_s() const noexcept { return product_s + reduce_s; }
};

/// Returns the fastest tile size and number of parts of k. Tiles are assigned to the multiprocessors in waves; the last
/// wave takes as long as a full one, and a tile that overhangs C as long as any other:
///
///   waves · (⌈k / split⌉₃₂ + 64) · 2·m·n of the tile / (peak / multiprocessors · product_share · share of the tile)
///
/// with k in steps of 32, plus two steps before the first product (the prologue). Parts of k are written and read once
/// more in fp32. Throws: value_error for a chip without multiprocessors.
[[nodiscard]] inline tiling best_tiling(const platform& p, const product& g) {
  constexpr std::array<tile, 9> tiles{
      {{256, 128}, {128, 256}, {128, 128}, {128, 64}, {64, 128}, {64, 64}, {64, 32}, {32, 64}, {32, 32}}};
  constexpr index_t step = 32, prologue = 2 * step, most_parts = 64;
  const index_t multiprocessors = checked_divisor("gpu: multiprocessors", p.on.multiprocessors);
  const double rate = p.on.peak_flop_per_s(p.in) * p.on.fit.product_share / static_cast<double>(multiprocessors);
  const double sums = static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.count);
  tiling best;
  for (const tile& t : tiles)
    for (index_t split = 1; split <= (std::min)(most_parts, ceil_div(g.k, 4 * step)); split *= 2) {
      tiling now{.each = t, .split = split};
      now.blocks = ceil_div(g.m, t.m) * ceil_div(g.n, t.n) * g.count * split;
      now.waves = ceil_div(now.blocks, multiprocessors);
      const index_t depth = round_up(ceil_div(g.k, split), step) + prologue;
      now.product_s = static_cast<double>(now.waves * depth) * 2 * static_cast<double>(t.m * t.n) / (rate * t.share());
      now.reduce_s = split > 1 ? 8 * static_cast<double>(split) * sums / p.on.stream_bytes_per_s() : 0;
      if (best.waves == 0 || now.total_s() < best.total_s()) best = now;
    }
  return best;
}

inline std::vector<product> products(const gemm_args<float>& g) { return {{g.c.rows, g.c.cols, g.a.cols}}; }
inline std::vector<product> products(const gemm_batched_args<float>& g) {
  return {{g.first.c.rows, g.first.c.cols, g.first.a.cols, g.count}};
}
inline std::vector<product> products(const gemm_packed_args<float>& g) { return {{g.c.rows, g.c.cols, g.a.cols}}; }
inline std::vector<product> products(const dense_args<float>& d) { return {{d.x.rows, d.w.cols, d.x.cols}}; }
inline std::vector<product> products(const dense_backward_data_args<float>& d) {
  return {{d.dy.rows, d.w.rows, d.w.cols}};
}
inline std::vector<product> products(const dense_backward_weights_args<float>& d) {
  return {{d.x.cols, d.dy.cols, d.x.rows}};
}

// Convolutions are implicit GEMMs, all groups at once. For a strided convolution, dx is one product for each position
// of an input pixel within the stride that a tap reaches.
inline std::vector<product> products(const conv2d_args<float>& a) {
  const conv2d_geometry& g = a.geometry;
  return {{g.n * g.oh() * g.ow(), g.group_f(), g.kh * g.kw * g.group_c(), g.groups}};
}
inline std::vector<product> products(const conv2d_backward_data_args<float>& a) {
  const conv2d_geometry& g = a.geometry;
  const spatial step{checked_divisor("conv2d: stride", g.stride.h), checked_divisor("conv2d: stride", g.stride.w)};
  return {{g.n * ceil_div(g.h, step.h) * ceil_div(g.w, step.w), g.group_c(),
           ceil_div(g.kh, step.h) * ceil_div(g.kw, step.w) * g.group_f(),
           g.groups * (std::min)(g.kh, step.h) * (std::min)(g.kw, step.w)}};
}
inline std::vector<product> products(const conv2d_backward_weights_args<float>& a) {
  const conv2d_geometry& g = a.geometry;
  return {{g.kh * g.kw * g.group_c(), g.group_f(), g.n * g.oh() * g.ow(), g.groups}};
}
template <class Args>
concept convolution_op = type_list<conv2d_args<float>, conv2d_backward_data_args<float>,
                                   conv2d_backward_weights_args<float>>::contains<Args>;

/// All heads at once; scores that the causal mask hides are computed too.
inline std::vector<product> products(const attention_args<float>& a) {
  const attention_geometry g = a.geometry();
  const index_t heads = g.n * g.heads;
  return {{g.queries, g.keys, g.width, heads}, {g.queries, g.width, g.keys, heads}};
}
inline std::vector<product> products(const attention_backward_args<float>& a) {
  const attention_geometry g = a.geometry();
  const index_t heads = g.n * g.heads;
  return {{g.queries, g.keys, g.width, heads},   // scores
          {g.queries, g.keys, g.width, heads},   // dy·vᵀ
          {g.keys, g.width, g.queries, heads},   // dv
          {g.keys, g.width, g.queries, heads},   // dk
          {g.queries, g.width, g.keys, heads}};  // dq
}

inline recurrent_geometry geometry_of(const rnn_args<float>& a) { return a.operands.geometry(rnn_gates); }
inline recurrent_geometry geometry_of(const rnn_backward_args<float>& a) { return a.operands.geometry(rnn_gates); }
inline recurrent_geometry geometry_of(const lstm_args<float>& a) { return a.operands.geometry(lstm_gates); }
inline recurrent_geometry geometry_of(const lstm_backward_args<float>& a) { return a.operands.geometry(lstm_gates); }
inline recurrent_geometry geometry_of(const gru_args<float>& a) { return a.operands.geometry(gru_gates); }
inline recurrent_geometry geometry_of(const gru_backward_args<float>& a) { return a.operands.geometry(gru_gates); }
inline recurrent_geometry geometry_of(const projected_lstm_args<float>& a) { return a.geometry(); }
inline recurrent_geometry geometry_of(const projected_lstm_backward_args<float>& a) { return a.geometry(); }

/// Arguments of a recurrent layer, forward or backward.
template <class Args>
concept recurrent_op = requires(const Args& args) {
  geometry_of(args);
};
template <class Args>
concept recurrent_backward_op = recurrent_op<Args> && requires(const Args& args) {
  args.operands.dwx;
};

/// Forward: x of all steps at once, then the state step by step. Backward: the state's gradient step by step, then the
/// gradients of the weights and of x.
template <recurrent_op Args>
std::vector<product> products(const Args& a) {
  const recurrent_geometry g = geometry_of(a);
  const index_t rows = g.steps * g.n;
  std::vector<product> all;
  if constexpr (recurrent_backward_op<Args>) {
    all = {{g.n, g.width(), g.columns(), 1, g.steps}, {g.in + g.width(), g.columns(), rows}};
    if (a.operands.dx.data != nullptr) all.push_back({rows, g.in, g.columns()});
    if (g.projected > 0) all.insert(all.end(), {{g.n, g.units, g.projected, 1, g.steps}, {g.units, g.projected, rows}});
  } else {
    all = {{rows, g.columns(), g.in}, {g.n, g.columns(), g.width(), 1, g.steps}};
    if (g.projected > 0) all.push_back({g.n, g.projected, g.units, 1, g.steps});
  }
  return all;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::gpu
