// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ridgepoint/gpu/tiles.hpp>
#include <ridgepoint/ops/all.hpp>

/// \file
/// products(args): the matrix products that a GPU library runs for an op.
namespace ridgepoint::inline RIDGEPOINT_ABI::gpu {

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
