// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <concepts>

#include <ridgepoint/cpu/gemm_prepare.hpp>
#include <ridgepoint/kernels/gemm/bfloat16_kernels.hpp>
#include <ridgepoint/simd/cpuid.hpp>

/// \file
/// Products of bfloat16. On any CPU, in floats: blocks of the operands are converted for the kernels of f32, and a
/// block of C stays in floats until it is finished. In pairs of the depth on CPUs with AVX512-BF16, on tiles with AMX.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Extents of the blocks of a product of bfloat16. A block is 128·256 floats of C, and 256 of the depth of A and B: 640
/// KiB with the gaps, a few times a core's share of the caches. Each element of B is converted once for 128 rows and
/// each of A once for 256 columns. They are constants, so the bits of the result do not depend on anything else.
struct stored_block {
  static constexpr index_t rows = 128, cols = 256, depth = 256;
  static constexpr index_t gap = 16;  // floats between lines, so that they map to different sets of the caches

  /// Returns the depth of a block of g: all of it if α must not multiply parts.
  [[nodiscard]] static index_t depth_of(const gemm_args<bfloat16>& g) noexcept {
    return kernels::scales_parts(g.options.alpha) ? depth : (std::max)(depth, g.a.cols);
  }
};

/// Returns a view of v converted to floats at `to`, in its storage order: adjacent elements stay adjacent.
template <class T>
[[nodiscard]] matrix_view<float> float_view(const matrix_view<T>& v, float* to) noexcept {
  if (v.col_stride != 1 && v.row_stride == 1) return float_view(v.transposed(), to).transposed();
  return {to, v.rows, v.cols, v.cols + stored_block::gap};
}
/// Elements of f32 in the blocks of a product, and bytes for the kernels of f32.
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

/// The floats of one block of C and of a part of the depth.
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

/// Computes one block of C: in floats from the first part of the depth to the last, then stored.
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

/// The blocks of a product, and their memory.
struct stored_block_schedule {
  stored_block_memory memory;
  std::size_t workers = 0;
  std::uint64_t matrix_flop = 0;  // executed

  [[nodiscard]] std::size_t workspace_bytes() const noexcept { return workers * memory.bytes(); }
};

/// Blocks along an extent: full blocks, and the remainder.
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

/// Runs a schedule. Requires: s.workspace_bytes() at `workspace`, aligned.
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

// Products of bfloat16 on CPUs with bfloat16 instructions: vdpbf16ps on registers or tdpbf16ps on tiles, operands in
// pairs of the depth, rounded once from their f32 sums.

using kernels::pair_schedule;
using kernels::pair_unit;

/// Returns true if C is stored by columns, and its rows have no bias: then Cᵀ = Bᵀ·Aᵀ is computed.
[[nodiscard]] inline bool transposes_in_pairs(const gemm_args<bfloat16>& g) noexcept {
  return g.c.cols > 1 && g.c.col_stride != 1 && g.c.row_stride == 1 && g.options.bias == nullptr;
}
/// Returns the elements of B (k×n) in panels of pairs, one after the other.
[[nodiscard]] constexpr index_t packed_pair_elements(pair_unit unit, index_t k, index_t n) noexcept {
  return kernels::packed_pairs(unit, k, round_up(n, kernels::pair_tile::cols));
}
template <cpu_backend On>
void pack_pair_panels(const On& on, pair_unit unit, const matrix_view<const bfloat16>& b, bfloat16* to) {
  constexpr index_t cols = kernels::pair_tile::cols;
  const index_t panel_elements = kernels::packed_pairs(unit, b.rows, cols);
  parallel_for(on.thread_count(), ceil_div(b.cols, cols), [&](index_t panel) {
    on.template call<kernels::gemm_pack_pair_panel<bfloat16>>(unit, kernels::pair_panel(b, panel, 0, b.rows),
                                                              to + panel * panel_elements);
  });
}

/// Schedules a product; with form `packed`, B comes from pack_pair_panels().
///
/// Tiles read packed rows of A: rows in place share few sets of L1 (Xeon with AMX, 512³: 785 GFLOP/s from rows in
/// place, 1107 packed). If several blocks read B, its panels are packed before them, a group of columns at a time.
[[nodiscard]] inline pair_schedule schedule_in_pairs(index_t threads, pair_unit unit, const gemm_args<bfloat16>& given,
                                                     b_form form = b_form::as_it_is) {
  using tile = kernels::pair_tile;
  constexpr index_t most_depth = 2048, group_bytes = index_t{1} << 24;
  const index_t tall = kernels::rows_of(unit), deep = kernels::depth_of(unit);
  const bool transposes = transposes_in_pairs(given), tiles = unit == pair_unit::tiles;
  const gemm_args<bfloat16> g = transposes ? transposed(given) : given;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const index_t block_elements = index_t{tiles ? 256 : 512} << 10;  // of A in L2, next to a panel of 128 KiB
  pair_schedule s{.unit = unit, .transposed = transposes};
  if (m == 0 || n == 0) return s;
  s.depth = k <= most_depth ? k : round_up(ceil_div(k, ceil_div(k, most_depth)), deep);
  // Rows with a stride of 4096 bytes map to one set of L1.
  const bool conflicts = tiles || g.a.row_stride % 2048 == 0;
  s.packs_a = k > 1 && (g.a.col_stride != 1 || (m > 1 && n > 2 * tile::cols && conflicts));
  const bool as_it_is = !tiles && form == b_form::as_it_is && (g.b.col_stride == 1 || n == 1) && m <= tall;
  s.b = as_it_is ? kernels::pair_source::rows : kernels::pair_source::panel;

  const index_t wanted = m * n >= 4'000'000 / std::max<index_t>(k, 1) ? threads : 1;
  s.height = (std::min)(m, std::max<index_t>(1, block_elements / std::max<index_t>(s.depth, 1) / tall) * tall);
  const index_t down = ceil_div(m, s.height), panels = ceil_div(n, tile::cols),
                panel_bytes = kernels::packed_pairs(unit, k, tile::cols) * index_t{sizeof(bfloat16)};
  const bool packs_b = s.b == kernels::pair_source::panel && form == b_form::as_it_is, ahead = packs_b && down > 1;
  const index_t group =
      ahead ? std::clamp<index_t>(group_bytes / std::max<index_t>(panel_bytes, 1), 1, panels) : panels;
  index_t across = wanted == 1 ? 1 : (std::min)(group, ceil_div(4 * wanted, down));
  if (s.depth < k) across = (std::max)(across, ceil_div(group, 16));  // sums of a block also stay in L2
  s.width = ceil_div(group, across) * tile::cols;
  s.group = group * tile::cols;

  const bool whole = s.depth >= k;
  s.sums_bytes = piece_bytes<float>((whole ? tall : s.height) * (whole ? index_t{tile::cols} : s.width));
  const index_t rows_of_a = tiles ? round_up(s.height, kernels::amx_tile::rows) : s.height;
  if (s.packs_a) s.a_bytes = piece_bytes<bfloat16>(round_up(s.depth, deep) * rows_of_a);
  else if (tiles && k % deep != 0) s.a_bytes = piece_bytes<bfloat16>(deep * rows_of_a);
  if (ahead) s.shared_b_bytes = static_cast<std::size_t>(group * panel_bytes);
  else if (packs_b) s.b_bytes = piece_bytes<bfloat16>(kernels::packed_pairs(unit, s.depth, tile::cols));
  s.workers = static_cast<std::size_t>((std::min)(threads, down * ceil_div(s.group, s.width)));
  return s;
}

/// Counts FLOP, including lanes without an element.
[[nodiscard]] inline std::uint64_t flop_in_pairs(const pair_schedule& s, const gemm_args<bfloat16>& given) noexcept {
  using tile = kernels::pair_tile;
  const gemm_args<bfloat16> g = s.transposed ? transposed(given) : given;
  const index_t n = round_up(g.c.cols, s.b == kernels::pair_source::rows ? index_t{tile::cols} : index_t{tile::lanes});
  return 2 * static_cast<std::uint64_t>(g.c.rows) * static_cast<std::uint64_t>(n) *
         static_cast<std::uint64_t>(round_up(g.a.cols, kernels::depth_of(s.unit)));
}

/// Runs a schedule. Requires: a CPU with its unit; s.workspace_bytes() at `workspace`, aligned.
template <cpu_backend On, std::same_as<bfloat16> T>
void run_in_pairs(const On& on, const pair_schedule& s, const gemm_args<T>& given, std::byte* workspace,
                  const bfloat16* packed = nullptr) {
  const gemm_args<bfloat16> all = s.transposed ? transposed(given) : given;
  const index_t m = all.c.rows, k = all.a.cols;
  if (m == 0) return;
  auto* const shared = reinterpret_cast<bfloat16*>(workspace);
  for (index_t first = 0; first < all.c.cols; first += s.group) {
    const gemm_args<bfloat16> g = block(all, 0, first, m, (std::min)(s.group, all.c.cols - first));
    const index_t n = g.c.cols, across = ceil_div(n, s.width);
    if (s.shared_b_bytes != 0) pack_pair_panels(on, s.unit, g.b, shared);
    const bfloat16* const panels = s.shared_b_bytes != 0 ? shared : packed;
    parallel_for(on.thread_count(), ceil_div(m, s.height) * across, [&](index_t part, index_t worker) {
      const index_t i = part / across * s.height, j = part % across * s.width;
      on.template call<kernels::gemm_pair_block<T>>(
          s, block(g, i, j, (std::min)(s.height, m - i), (std::min)(s.width, n - j)),
          panels == nullptr ? nullptr : panels + kernels::packed_pairs(s.unit, k, j),
          workspace + s.shared_b_bytes + static_cast<std::size_t>(worker) * s.worker_bytes());
    });
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// The methods for a product of bfloat16.
enum class bfloat16_way { in_floats, in_pairs, in_tiles };

/// Selects the faster method by extents, strides, instruction set and CPU only; with form `packed`, B is in panels
/// already.
///
/// With vdpbf16ps at half the speed of f32 (a Xeon of 89 GFLOP/s in pairs, 179 of f32), pairs gain if floats wait for
/// memory or for conversions: up to 14 rows with prepacked panels (1×1024×1024: 43 to 11 GFLOP/s, 12 rows 87 to 81), 6
/// rows with B in place by rows (66 to 56, 8 rows 65 to 68), 4 with B by columns (43 to 39), and always for products
/// up to 48³ (61 to 37). At twice the speed pairs lose only if few columns leave much of a register empty.
///
/// Tiles have to be configured, which takes 100 ns, and B packed in panels. On a Xeon 3×1024×1024 takes 124 µs in pairs
/// and 155 µs in tiles, 6×1024×1024 174 and 155, 64×1024×1024 1442 and 289; 8×32×8 takes 138 and 249 ns, 8×32×32 269
/// and 246.
[[nodiscard]] inline bfloat16_way way_of(kernels::vector_unit v, const gemm_args<bfloat16>& given,
                                         simd::bfloat16_speed speed, b_form form) noexcept {
  using enum bfloat16_way;
  if (!kernels::multiplies_pairs(v) || speed == simd::bfloat16_speed::none) return in_floats;
  const gemm_args<bfloat16> g = transposes_in_pairs(given) ? transposed(given) : given;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const bool packed = form == b_form::packed && !transposes_in_pairs(given);
  if (speed == simd::bfloat16_speed::tiles) {
    const bool panels = packed || (g.b.col_stride != 1 && n > 1);
    const index_t steps = m * ceil_div(n, index_t{kernels::pair_tile::cols}) * k;
    return m > (panels ? 1 : 4) && steps >= 256 ? in_tiles : in_pairs;
  }
  const index_t few_rows = packed ? kernels::pair_tile::rows : g.b.col_stride == 1 ? 6 : 4;
  const bool is_little = m <= 48 && n <= 48 && k <= 48;
  const bool gains = m <= few_rows || speed == simd::bfloat16_speed::twice;
  return is_little || (gains && n >= kernels::pair_tile::lanes / 2) ? in_pairs : in_floats;
}

}  // namespace detail

/// A product of bfloat16 with its method and schedule.
template <>
struct gemm_prepared<bfloat16> {
  detail::bfloat16_way way;
  detail::pair_schedule pairs;
  detail::stored_block_schedule floats;
  preparation info;
};

namespace detail {

/// Prepares a given method. Requires: a CPU that supports it.
template <cpu_backend On, std::same_as<bfloat16> T>
[[nodiscard]] gemm_prepared<T> prepare_on(const On& on, const gemm_args<T>& g, const prepare_options& options,
                                          bfloat16_way way) {
  gemm_prepared<T> made{.way = way, .pairs = {}, .floats = {}, .info = {}};
  made.info.executed = receipt(g);
  std::uint64_t& flop = made.info.executed.matrix_flop;
  made.info.executed.flop -= flop;
  if (way == bfloat16_way::in_floats) {
    made.floats = schedule_in_floats(on, g);
    flop = made.floats.matrix_flop;
    made.info.algorithm = "in floats";
    made.info.workspace_bytes = made.floats.workspace_bytes();
  } else {
    const bool constant = overlap(g.b.data, 1, options.constant, static_cast<index_t>(options.constant_bytes));
    const b_form form = constant && !transposes_in_pairs(g) ? b_form::packed : b_form::as_it_is;
    constexpr const char* names[2][2] = {{"vdpbf16ps", "vdpbf16ps, packed once"},
                                         {"tdpbf16ps", "tdpbf16ps, packed once"}};
    const bool tiles = way == bfloat16_way::in_tiles, packed = form == b_form::packed;
    made.pairs = schedule_in_pairs(on.thread_count(), tiles ? pair_unit::tiles : pair_unit::registers, g, form);
    flop = flop_in_pairs(made.pairs, g);
    made.info.algorithm = names[tiles ? 1 : 0][packed ? 1 : 0];
    made.info.workspace_bytes = made.pairs.workspace_bytes();
    if (packed) made.info.constant_bytes = piece_bytes<T>(packed_pair_elements(made.pairs.unit, g.b.rows, g.b.cols));
  }
  made.info.executed.flop += flop;
  return made;
}

template <cpu_backend On, std::same_as<bfloat16> T>
void run_prepared(const On& on, const gemm_prepared<T>& made, const gemm_args<T>& g, const call_memory& memory) {
  auto* const workspace = static_cast<std::byte*>(memory.workspace);
  if (made.way != bfloat16_way::in_floats)
    return run_in_pairs(on, made.pairs, g, workspace,
                        made.info.constant_bytes != 0 ? static_cast<const T*>(memory.constants) : nullptr);
  run_in_floats(on, made.floats, g, workspace);
}

}  // namespace detail

/// Computes C ← f(α·A·B + β·C + bias) stored in bfloat16, summed in f32 and rounded once: in pairs by tdpbf16ps (AMX)
/// or vdpbf16ps, if the CPU has it and it is faster, else in floats by the kernels of f32. The choice depends on the
/// extents and the CPU; prepare() reports it: "tdpbf16ps", "vdpbf16ps", "in floats".
///
/// They round differently. vdpbf16ps adds two products per lane, each exact in f32, and rounds after each of them to
/// the nearest even; tdpbf16ps sums 16 first and 16 second products of pairs, then adds both; operands, products and
/// sums that are denormal in f32 become 0. In floats, an FMA rounds once and keeps denormals. Memory in addition to the
/// operands: per thread a part of the depth for a panel of B, or for A, or a block in floats; in pairs, if several
/// blocks read B, its panels, as many as 16 MiB hold, at least one.
template <cpu_backend On, std::same_as<bfloat16> T>
void execute(const On& on, const gemm_args<T>& g) {
  struct tag;
  const detail::bfloat16_way way =
      detail::way_of(on.vectors(), g, simd::cpu_speed_of_bfloat16(), detail::b_form::as_it_is);
  const gemm_prepared<T> made = detail::prepare_on(on, g, {}, way);
  detail::run_prepared(on, made, g, {.workspace = thread_scratch<tag>(made.info.workspace_bytes)});
}

/// Chooses method and schedule. B in constant memory is packed once if computed in pairs.
template <cpu_backend On, std::same_as<bfloat16> T>
[[nodiscard]] gemm_prepared<T> prepare(const On& on, const gemm_args<T>& g, const prepare_options& options = {}) {
  const bool constant = detail::overlap(g.b.data, 1, options.constant, static_cast<index_t>(options.constant_bytes));
  const detail::b_form form = constant ? detail::b_form::packed : detail::b_form::as_it_is;
  return detail::prepare_on(on, g, options, detail::way_of(on.vectors(), g, simd::cpu_speed_of_bfloat16(), form));
}

template <cpu_backend On, std::same_as<bfloat16> T>
void make_constants(const On& on, const gemm_prepared<T>& made, const gemm_args<T>& g, void* to) {
  if (made.info.constant_bytes != 0) detail::pack_pair_panels(on, made.pairs.unit, g.b, static_cast<T*>(to));
}

template <cpu_backend On, std::same_as<bfloat16> T>
void execute(const On& on, const gemm_prepared<T>& made, const gemm_args<T>& g, const call_memory& memory) {
  detail::run_prepared(on, made, g, memory);
}

template <std::same_as<bfloat16> T>
decltype(detail::gemm_kernels<float>{} + type_list<kernels::convert_block<float, T>, kernels::convert_block<T, float>,
                                                   kernels::gemm_pair_block<T>, kernels::gemm_pack_pair_panel<T>>{})
    kernels_of(const gemm_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
