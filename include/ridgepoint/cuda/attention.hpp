// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/cuda/runtime/kernel.hpp>
#include <ridgepoint/ops/attention.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

template <class T>
[[nodiscard]] device_heads<T> heads_on_device(const heads_view<T>& x) noexcept {
  return {x.data, x.strides[0], x.strides[1], x.strides[2]};
}
[[nodiscard]] inline device_attention attention_on_device(const attention_geometry& g,
                                                          const std::int32_t* lengths) noexcept {
  return {g.n, g.queries, g.keys, g.heads, g.width, lengths, g.causal ? 1 : 0};
}
/// Returns one block per row (a query or a key of a head), up to the count that keeps the device busy. Every block has
/// its own line of the workspace.
[[nodiscard]] inline launch_shape attention_blocks(const cuda_context& on, index_t rows, index_t line, index_t width) {
  launch_shape shape = on.rows(rows, (std::max)(line, width));
  shape.blocks = (std::min)(shape.blocks, on.loop(rows * static_cast<index_t>(block_threads)).blocks);
  return shape;
}

/// The scores of one query per block.
template <class T>
struct attention_lines {
  pieces from;
  attention_geometry g;
  launch_shape shape;
  compute_t<T>* lines;

  attention_lines(const cuda_context& on, const attention_args<T>& a, void* workspace)
      : from(workspace),
        g(a.geometry()),
        shape(attention_blocks(on, g.n * g.heads * g.queries, g.keys, g.width)),
        lines(from.take<compute_t<T>>(static_cast<index_t>(shape.blocks) * g.keys)) {}
};
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const attention_args<T>& a) {
  return attention_lines<T>(on, a, nullptr).from.bytes();
}
/// Computes each query of a head in one block: its scores, their softmax, and the weighted sum of the values. Stores
/// nothing of queries × keys elements.
template <class T>
void execute(cuda_context& on, const attention_args<T>& a, void* workspace) {
  const attention_lines<T> memory(on, a, workspace);
  const attention_geometry& g = memory.g;
  if (g.n * g.queries == 0) return;
  on.launch(attention_kernels<T>::forward, memory.shape, attention_on_device(g, a.lengths),
            static_cast<compute_t<T>>(scale_of(a.options, g)), heads_on_device(a.q), heads_on_device(a.k),
            heads_on_device(a.v), heads_on_device(a.y), a.log_sums, memory.lines);
}

/// The product of dy and y for every query, and lines for each block.
template <class T>
struct attention_backward_lines {
  pieces from;
  attention_geometry g;
  launch_shape of_queries, of_keys;
  compute_t<T>*products, *lines;

  attention_backward_lines(const cuda_context& on, const attention_backward_args<T>& a, void* workspace)
      : from(workspace),
        g(a.geometry()),
        of_queries(attention_blocks(on, g.n * g.heads * g.queries, g.keys, g.width)),
        of_keys(attention_blocks(on, g.n * g.heads * g.keys, g.queries, g.width)),
        products(from.take<compute_t<T>>(g.n * g.heads * g.queries)),
        lines(from.take<compute_t<T>>((std::max)(static_cast<index_t>(of_queries.blocks) * g.keys,
                                                 static_cast<index_t>(of_keys.blocks) * 2 * g.queries))) {}
};
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const attention_backward_args<T>& a) {
  return attention_backward_lines<T>(on, a, nullptr).from.bytes();
}
/// Computes dq per query, then dk and dv per key; each pass recomputes its weights.
template <class T>
void execute(cuda_context& on, const attention_backward_args<T>& a, void* workspace) {
  const attention_backward_lines<T> memory(on, a, workspace);
  const attention_geometry& g = memory.g;
  const device_attention extents = attention_on_device(g, a.lengths);
  const auto scale = static_cast<compute_t<T>>(scale_of(a.options, g));
  const auto q = heads_on_device(a.q), k = heads_on_device(a.k), v = heads_on_device(a.v), dy = heads_on_device(a.dy);
  if (g.n * g.queries != 0)
    on.launch(attention_kernels<T>::of_queries, memory.of_queries, extents, scale, q, k, v, heads_on_device(a.y), dy,
              a.log_sums, heads_on_device(a.dq), memory.products, memory.lines);
  if (g.n * g.keys != 0)
    on.launch(attention_kernels<T>::of_keys, memory.of_keys, extents, scale, q, k, v, dy, a.log_sums, memory.products,
              heads_on_device(a.dk), heads_on_device(a.dv), memory.lines);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
