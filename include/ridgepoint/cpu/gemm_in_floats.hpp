// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <concepts>

#include <ridgepoint/cpu/gemm_prepare.hpp>
#include <ridgepoint/kernels/gemm/bfloat16_kernels.hpp>

/// \file
/// Products of bfloat16 on any CPU: blocks of the operands become floats on the way into the kernels of f32, a block of
/// C stays in floats until it is finished.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Extents of the blocks that a product of bfloat16 is made of. One is 128·256 floats of C, and of A and B as much as
/// 256 of the depth: 640 KiB with the gaps, a few times a core's share of the caches, each element of B converted once
/// for 128 rows and each of A once for 256 columns. They depend on nothing, so neither do the bits of the result.
struct stored_block {
  static constexpr index_t rows = 128, cols = 256, depth = 256;
  static constexpr index_t gap = 16;  // of floats between lines, so that they lie in different sets of the caches

  /// Of g: all of it at once where α must not multiply parts.
  [[nodiscard]] static index_t depth_of(const gemm_args<bfloat16>& g) noexcept {
    return kernels::scales_parts(g.options.alpha) ? depth : (std::max)(depth, g.a.cols);
  }
};

/// Where v lies as floats at `to`, in the order in which it is stored: adjacent elements stay adjacent.
template <class T>
[[nodiscard]] matrix_view<float> float_view(const matrix_view<T>& v, float* to) noexcept {
  if (v.col_stride != 1 && v.row_stride == 1) return float_view(v.transposed(), to).transposed();
  return {to, v.rows, v.cols, v.cols + stored_block::gap};
}
/// Elements of f32 that the blocks of a product take, and bytes for the kernels of f32.
struct stored_block_memory {
  index_t a = 0, b = 0, c = 0, bias = 0;
  std::size_t workspace_bytes = 0;

  [[nodiscard]] std::size_t bytes() const noexcept {
    return piece_bytes<float>(a) + piece_bytes<float>(b) + piece_bytes<float>(c) + piece_bytes<float>(bias) +
           workspace_bytes;
  }
};
[[nodiscard]] inline stored_block_memory stored_block_elements(const gemm_args<bfloat16>& g) noexcept {
  using block = stored_block;
  const index_t m = (std::min)(g.c.rows, block::rows), n = (std::min)(g.c.cols, block::cols),
                depth = (std::min)(g.a.cols, block::depth_of(g));
  const auto lines = [](index_t rows, index_t cols) {  // stored along either extent
    return (std::max)(rows * (cols + block::gap), cols * (rows + block::gap));
  };
  return {.a = lines(m, depth), .b = lines(depth, n), .c = lines(m, n), .bias = n};
}

/// The floats of one block of C and the part of the depth from p on.
struct float_block {
  float *a, *b, *c, *bias;
  std::byte* workspace;
  float_block(const stored_block_memory& sizes, std::byte* memory) noexcept {
    const auto piece = [&](index_t elements) {
      auto* const at = reinterpret_cast<float*>(memory);
      memory += piece_bytes<float>(elements);
      return at;
    };
    a = piece(sizes.a), b = piece(sizes.b), c = piece(sizes.c), bias = piece(sizes.bias);
    workspace = memory;
  }
  [[nodiscard]] gemm_args<float> args(const gemm_args<bfloat16>& g, index_t p) const noexcept {
    const index_t part = (std::min)(stored_block::depth_of(g), g.a.cols - p);
    const bool last = p + part == g.a.cols;
    return {.a = float_view(g.a.block(0, p, g.c.rows, part), a),
            .b = float_view(g.b.block(p, 0, part, g.c.cols), b),
            .c = float_view(g.c, c),
            .options = {.alpha = g.options.alpha,
                        .beta = p == 0 ? g.options.beta : 1.0F,
                        .bias = last && g.options.bias != nullptr ? bias : nullptr,
                        .act = last ? g.options.act : activation::none}};
  }
};

/// One block of C: in floats from the first part of the depth to the last, then stored.
template <cpu_backend On, std::same_as<bfloat16> T>
void run_stored_block(const On& on, const gemm_args<T>& g, const float_block& floats) {
  using to_floats = kernels::convert_block<float, T>;
  if (g.options.bias != nullptr)
    on.template call<to_floats>(matrix_view<const T>(g.options.bias, 1, g.c.cols),
                                matrix_view<float>(floats.bias, 1, g.c.cols));
  const matrix_view<float> c = float_view(g.c, floats.c);
  if (g.options.beta != 0.0F) on.template call<to_floats>(matrix_view<const T>(g.c), c);
  index_t p = 0;
  do {
    const gemm_args<float> part = floats.args(g, p);
    const index_t depth = part.a.cols;
    const matrix_view<const bfloat16> a = g.a.block(0, p, g.c.rows, depth), b = g.b.block(p, 0, depth, g.c.cols);
    on.template call<to_floats>(a, float_view(a, floats.a));
    on.template call<to_floats>(b, float_view(b, floats.b));
    run(on, schedule(on, part), part, floats.workspace);
    p += depth;
  } while (p < g.a.cols);
  on.template call<kernels::convert_block<T, float>>(matrix_view<const float>(c), g.c);
}

/// The blocks of a product, and what they take.
struct stored_block_schedule {
  stored_block_memory memory;
  std::size_t workers = 0;
  std::uint64_t matrix_flop = 0;  // executed

  [[nodiscard]] std::size_t workspace_bytes() const noexcept { return workers * memory.bytes(); }
};

/// Blocks along an extent: whole ones, and the one that is left.
struct block_kind {
  index_t size, count;
};
[[nodiscard]] constexpr std::array<block_kind, 2> kinds_of_blocks(index_t extent, index_t block) noexcept {
  return {{{block, extent / block}, {extent % block, extent % block == 0 ? 0 : 1}}};
}

template <cpu_backend On, std::same_as<bfloat16> T>
[[nodiscard]] stored_block_schedule schedule_in_floats(const On& on, const gemm_args<T>& g) {
  using extents = stored_block;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  stored_block_schedule s{.memory = stored_block_elements(g)};
  float anywhere = 0;  // schedules see no addresses, only whether there is a bias
  const float_block floats({}, reinterpret_cast<std::byte*>(&anywhere));
  const On one = on.on_one_thread();
  for (const block_kind rows : kinds_of_blocks(m, extents::rows)) {
    for (const block_kind cols : kinds_of_blocks(n, extents::cols)) {
      if (rows.count * cols.count == 0) continue;
      for (index_t p = 0; p == 0 || p < k; p += extents::depth_of(g)) {
        const gemm_args<float> part = floats.args(block(g, 0, 0, rows.size, cols.size), p);
        const gemm_schedule chosen = schedule(one, part);
        s.memory.workspace_bytes = (std::max)(s.memory.workspace_bytes, chosen.workspace_bytes());
        s.matrix_flop +=
            static_cast<std::uint64_t>(rows.count * cols.count) * executed_work(on.vectors(), chosen, part).matrix_flop;
      }
    }
  }
  s.workers = static_cast<std::size_t>(
      std::min<index_t>(on.thread_count(), ceil_div(m, extents::rows) * ceil_div(n, extents::cols)));
  return s;
}

/// Requires: s.workspace_bytes() at `workspace`, on a boundary.
template <cpu_backend On, std::same_as<bfloat16> T>
void run_in_floats(const On& on, const stored_block_schedule& s, const gemm_args<T>& g, std::byte* workspace) {
  using extents = stored_block;
  const index_t m = g.c.rows, n = g.c.cols, across = ceil_div(n, extents::cols);
  if (m == 0 || n == 0) return;
  parallel_for(on.thread_count(), ceil_div(m, extents::rows) * across, [&](index_t part, index_t worker) {
    const index_t i = part / across * extents::rows, j = part % across * extents::cols;
    const float_block floats(s.memory, workspace + static_cast<std::size_t>(worker) * s.memory.bytes());
    run_stored_block(on.on_one_thread(),
                     block(g, i, j, (std::min)(extents::rows, m - i), (std::min)(extents::cols, n - j)), floats);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
