// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/ops/gemm.hpp>

/// \file
/// Plans of GEMM: the family with the fewest predicted cycles, and its runs of register tiles as plain data. Pipeline
/// terms (FMAs, loads, latency) follow from the instruction set; memory terms were measured on one core each of a Zen 3
/// and an Emerald Rapids. The terms rank families: only their order has to be right (`ridgepoint bench gemm --random`
/// shows both).
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Bytes of cache a plan may count on.
struct gemm_caches {
  index_t l1 = 32 * 1024, l2 = 512 * 1024;
  index_t panels = 0;  // of L2 or a near L3, for packed B; 0: half of l2, a quarter if A is in place
};

namespace cost {
/// Cycles per register: two pipes; without FMA a product and a sum.
[[nodiscard]] constexpr double per_fma(vector_unit v) noexcept { return v.fma ? 0.5 : 1.0; }
inline constexpr double latency = 4;  // of a sum
inline constexpr double per_load = 0.5, per_store = 1;
inline constexpr double call = 12;                              // of a kernel, or of a tile's loop
inline constexpr double l2_byte = 0.04;                         // of a row of a panel
inline constexpr double l3_byte = 0.08;                         // read once, row by row, from beyond L2
inline constexpr double pack_byte = 0.10, pack_l3_byte = 0.15;  // read and written
inline constexpr double strewn_line = 18;                       // C beyond L2, written one or two lines per row
inline constexpr double page = 8, page_fetched = 1;             // missing in L1's TLB
// Line of a B with a row stride of a page or more; vector of it stored packed. They decide between in place and packed:
// 850 products on a Xeon with AMX take 0.7 % (AVX-512) and 1 % (AVX2) longer than on the better of the two.
inline constexpr double paged_line = 1.1, copied_vector = 1, copied_l3_vector = 2.5;
inline constexpr double evicted = 1.25;     // of steps whose rows of A are not in L1
inline constexpr double streamed_line = 2;  // C beyond L2, written contiguously
inline constexpr double fold = 3;           // lanes of a dot product to one value
inline constexpr double turn = 1.5;         // four elements of B, transposed

[[nodiscard]] constexpr double real(index_t n) noexcept { return static_cast<double>(n); }

/// Cycles of one step in depth of a register tile.
[[nodiscard]] constexpr double step(vector_unit v, index_t mr, int nv, int slices = 1) noexcept {
  const double arithmetic = real(mr * nv) * per_fma(v), loads = real(mr + nv) * per_load;
  return (std::max)({arithmetic, loads, latency / slices});
}
/// Cycles of a tile besides its steps: zeroing, and storing C, in rows that begin and end within a cache line.
[[nodiscard]] constexpr double tile(index_t mr, int nv) noexcept { return call + real(mr * (nv + 1)) * per_store; }

/// Cycles of a row of panels: n columns in panels of nv vectors, and the remainder. per_b_byte: l2_byte if B is in L2,
/// else 0.
template <class T>
[[nodiscard]] constexpr double panels(vector_unit v, index_t mr, index_t n, int nv, index_t depth, int slices,
                                      double per_b_byte) noexcept {
  const index_t lanes = v.lanes<T>(), width = nv * lanes, whole = n / width, rest = v.vectors<T>(n - whole * width);
  const auto panel = [&](int vectors) {
    const double bytes = real(vectors * lanes) * sizeof(T);
    return (std::max)(step(v, mr, vectors, slices), bytes * per_b_byte) * real(depth) + tile(mr, vectors);
  };
  return real(whole) * panel(nv) + (rest == 0 ? 0 : panel(static_cast<int>(rest)));
}

/// Cycles of C's lines if C exceeds L2.
template <class T>
[[nodiscard]] constexpr double far_lines(index_t m, index_t n, const gemm_caches& caches) noexcept {
  const index_t bytes = m * n * static_cast<index_t>(sizeof(T));
  return 2 * bytes > caches.l2 ? real(bytes) / 64 : 0;
}

/// Cycles that a row of tiles takes, beyond its steps, because rows of a B in place are on different pages.
template <class T>
[[nodiscard]] constexpr double paged_rows(index_t n, index_t k, index_t row_stride) noexcept {
  const double lines = real(k * n) * sizeof(T) / 64,
               stride_bytes = real(row_stride < 0 ? -row_stride : row_stride) * sizeof(T);
  return lines * (std::min)(1.0, stride_bytes / 4096) * paged_line;
}

/// Returns the panel width, in vectors, with the least predicted time for a C whose operands fit L1.
[[nodiscard]] constexpr int panel_of_small(vector_unit v, index_t m, index_t vectors, index_t k) noexcept {
  int best = 1;
  double least = 0;
  for (int nv = 1; nv <= std::min<index_t>(vectors, most_vectors); ++nv) {
    const index_t tiles = ceil_div(m, tallest_tile(v, nv)), mr = ceil_div(m, tiles), panels = ceil_div(vectors, nv);
    const int wide = static_cast<int>(ceil_div(vectors, panels));
    const double cycles =
        real(tiles * panels) * (step(v, mr, wide, tile_slices(mr, wide, k)) * real(k) + tile(mr, wide));
    if (nv == 1 || cycles < least) best = wide, least = cycles;
  }
  return best;
}
}  // namespace cost

/// Strides of one operand, in elements: they decide whether it is read in place.
struct operand_layout {
  index_t row_stride = 0, col_stride = 1;
};

/// Loop structures of GEMM.
enum class gemm_family {
  nothing,   // no element of C
  scale,     // k = 0: C ← f(β·C + bias)
  element,   // a few multiplications, in sequence
  vector,    // one row of A, B row-major: bound by reading B once
  dot,       // narrow C, or few rows of a B stored by columns: operands contiguous in k, vectors along the depth
  narrow,    // up to half a register of columns: several steps in depth per register
  columns,   // few columns that would leave lanes idle: a register holds rows of one, A is transposed as it is read
  outer,     // k ≤ 4, C dominates: rows of C written contiguously
  in_place,  // register tiles over A and B in place
  packed,    // register tiles over packed panels
};

[[nodiscard]] constexpr const char* name_of(gemm_family family) noexcept {
  constexpr const char* names[] = {"nothing", "scale",   "element", "vector",   "dot",
                                   "narrow",  "columns", "outer",   "in place", "packed"};
  return names[static_cast<int>(family)];
}

/// Returns the layout of A or B; a single column has no next one.
template <class T>
[[nodiscard]] operand_layout layout_of_a(const gemm_args<T>& g) noexcept {
  return {g.a.row_stride, g.a.col_stride};
}
template <class T>
[[nodiscard]] operand_layout layout_of_b(const gemm_args<T>& g) noexcept {
  return {g.b.row_stride, g.b.cols == 1 ? 1 : g.b.col_stride};
}

/// Contents of C: just the product, or also β, bias, relu.
enum class gemm_result { product, finished };

/// Blocking of a GEMM: C in blocks of mc × nc, depth in slices of kc; operands in place or packed.
///
/// Packed: tiles run along the rows of C, so that it is written contiguously. kc·nc of B take a part of L2, or of an
/// equally fast L3, and stream from there past mr·kc of A in L1. A wider nc reads and packs A fewer times. Cutting k
/// determines the order of summation, so it depends on the problem only, never on threads: every thread grid gives the
/// same bits.
struct gemm_plan {
  gemm_family family = gemm_family::nothing;
  index_t mc = 0, nc = 0, kc = 0;     // packed; in_place: kc
  index_t mr = 0;                     // tallest register tile
  int nv = tile_vectors, slices = 1;  // its vectors; interleaved parts of the depth
  index_t fetch_b = 0;                // in_place: prefetch distance in elements, 0 none
  bool far_a = false;                 // A is row-major and larger than L2: prefetched
  bool pack_a = false;                // false: read in place
  bool streams = false;               // non-temporal stores of C, as in tile_epilogue
  bool fetches_c = false;             // in_place: C takes more than a quarter of L2: prefetched
  bool turn_b = false;                // in_place, outer: B, stored by columns, is transposed first
  double cycles = 0;                  // predicted
  friend bool operator==(const gemm_plan&, const gemm_plan&) = default;
};

/// Whether α may multiply the sum of each part of the depth. A larger α could turn parts whose total is finite into
/// infinities of opposite signs, hence NaN.
template <class T>
[[nodiscard]] constexpr bool scales_parts(T alpha) noexcept {
  constexpr T most = T(std::uint64_t{1} << 32);
  return -most <= alpha && alpha <= most;
}
/// Returns the plan with the depth in one part, with blocks no wider than packing then requires.
template <class T>
[[nodiscard]] constexpr gemm_plan with_all_depth(vector_unit v, gemm_plan plan, index_t k) noexcept {
  plan.kc = k;
  if (plan.family == gemm_family::packed) plan.mc = plan.mr, plan.nc = panel_width<T>(v);
  return plan;
}

namespace detail {
/// Returns the size of equal pieces of about `most` or less, multiples of `unit`.
constexpr index_t equal_pieces(index_t size, index_t most, index_t unit) noexcept {
  return size <= most ? size : round_up(ceil_div(size, ceil_div(size, most)), unit);
}
/// Returns equal_pieces(), with pieces up to a third larger where that avoids a short last piece.
constexpr index_t roughly_equal_pieces(index_t size, index_t most, index_t unit) noexcept {
  return equal_pieces(size, size <= most + most / 3 ? size : most, unit);
}
}  // namespace detail

/// Whether the mr rows of a row-major A that a tile reads evict each other: all start in one set of L1, of fewer ways.
template <class T>
[[nodiscard]] constexpr bool evicts_rows(operand_layout a, index_t mr, const gemm_caches& caches) noexcept {
  return a.col_stride == 1 && a.row_stride * index_t{sizeof(T)} % 4096 == 0 && mr > caches.l1 / 4096;
}

/// Returns the plan of register tiles over packed panels for C(m×n) = A(m×k)·B(k×n).
template <class T>
[[nodiscard]] constexpr gemm_plan plan_packed(vector_unit v, index_t m, index_t n, index_t k, operand_layout a,
                                              operand_layout b, const gemm_caches& caches = {}) noexcept {
  const index_t size = sizeof(T), mr = tile_rows(v), nr = panel_width<T>(v), a_size = size * copies_of_a<T>(v);
  gemm_plan plan{.family = gemm_family::packed, .mr = mr};
  plan.kc = detail::equal_pieces(k, 1280 / size, 1);
  plan.mc = detail::roughly_equal_pieces(m, (std::max)(mr, caches.l2 * 3 / 8 / (plan.kc * a_size) / mr * mr), mr);
  // Columns of a large transposed A are on different pages. Packing rows that a set holds would only cost: 15 % of
  // 1024x1024x1024 on AVX2.
  const bool evicts = evicts_rows<T>(a, mr, caches) && k * size > 512, large = m * k * size > caches.l1;
  plan.pack_a = replicates_a<T>(v) || (a.col_stride == 1 ? evicts && n > 4 * nr : large && n > nr);
  const index_t panels = caches.panels != 0 ? caches.panels : caches.l2 / (plan.pack_a ? 2 : 4);
  plan.nc = detail::roughly_equal_pieces(n, (std::max)(nr, panels / (plan.kc * size) / nr * nr), nr);
  plan.far_a = !plan.pack_a && m * k * size > caches.l2;

  const double slices = cost::real(ceil_div(k, plan.kc)), tiles = cost::real(ceil_div(m, mr));
  const bool is_far = k * n * size > caches.l2;
  const double bytes = cost::real(k * n * size), pack = is_far ? cost::pack_l3_byte : cost::pack_byte;
  const double copying = cost::real(k * v.vectors<T>(n)) * (is_far ? cost::copied_l3_vector : cost::copied_vector);
  plan.cycles =
      150 + (b.col_stride == 1 ? cost::paged_rows<T>(n, k, b.row_stride) + copying : bytes * 2 * pack) +
      (plan.pack_a ? cost::real(m * k * size) * cost::pack_byte : 0) +
      slices * (tiles * cost::panels<T>(v, ceil_div(m, ceil_div(m, mr)), n, tile_vectors, plan.kc, 1, cost::l2_byte) +
                cost::far_lines<T>(m, n, caches) * cost::streamed_line);
  return plan;
}

/// Returns the plan of register tiles of nv vectors over A and B in place.
template <class T>
[[nodiscard]] constexpr gemm_plan plan_in_place(vector_unit v, index_t m, index_t n, index_t k, operand_layout b,
                                                int nv, index_t tallest, const gemm_caches& caches = {}) noexcept {
  const index_t lanes = v.lanes<T>(), size = sizeof(T);
  gemm_plan plan{.family = gemm_family::in_place, .mc = m, .nc = n, .kc = k, .nv = nv};
  const index_t tiles = ceil_div(m, tallest), bytes = n * k * size;
  plan.mr = ceil_div(m, tiles);
  plan.slices = tile_slices(plan.mr, nv, k);
  const bool several = n > nv * lanes;  // panels
  plan.far_a = m * k * size > caches.l2;
  plan.fetches_c = m * n * size > caches.l2 / 4;
  const bool once = tiles == 1, wide = v.registers >= 32, is_far = bytes > caches.l2;
  // Data that the next row of tiles reads again stays in L1 if it is one panel, else in a part of L2 that leaves room
  // for C; short slices cost another pass over C each, which affects 14 rows more than six.
  const index_t row_bytes = n * size, cached_bytes = several ? caches.l2 / 16 * (wide ? 6 : 3) : caches.l1 / 2;
  // Prefetch down the rows if a page holds a few of them and B is in L2, else along the row. The hardware does it for
  // few rows if there are 32 registers, and for data in L2 if there are 16.
  const bool down = wide && !is_far && row_bytes < (once ? 8192 : 4096);
  // Few rows of a B that an L3 may not hold need slices of few rows, which the hardware prefetches, and prefetches
  // along them: 6x3000x3000, on a Zen 4, 68 GFLOP/s in slices of 16, 22 of 64. From L3, slices of 16 take 10 to 15 %
  // longer; each reads and writes C, which stays in L2. The lines that tiles of 16 registers read are adjacent anyway.
  const bool distant =
      several && m <= 8 && bytes > 8 * (std::max)(caches.l2, index_t{1} << 20) && m * n * size <= caches.l2 / 2;
  const bool fetches = several && (wide ? plan.mr >= 7 || distant : once || is_far);
  // A B beyond L2 comes faster in slices of few rows: 14x520x3028, on a Xeon with AMX, 118 GFLOP/s of 64, 109 of 253.
  const index_t deepest = !several || !is_far ? 512 : wide ? 64 : 128;
  if (distant) plan.kc = detail::equal_pieces(k, 16, 1);
  else if (!once) plan.kc = detail::equal_pieces(k, std::clamp<index_t>(cached_bytes / row_bytes, 64, deepest), 1);
  else if (several) plan.kc = detail::equal_pieces(k, bytes > caches.l2 / 4 && !(fetches && down) ? 64 : 256, 1);
  const bool streams = distant || plan.kc * row_bytes > caches.l1;  // B is read from L2 for every row of tiles
  if (fetches && streams && (!once || bytes > caches.l2 / 4))
    plan.fetch_b = down ? 12 * b.row_stride : (wide ? 4 : 2 * nv) * lanes;
  const double slices = cost::real(ceil_div(k, plan.kc));
  const double compute = cost::real(tiles) * slices *
                         cost::panels<T>(v, plan.mr, n, nv, plan.kc, plan.slices, streams ? cost::l2_byte : 0);
  plan.cycles = (is_far ? (std::max)(compute, cost::real(bytes) * cost::l3_byte) : compute) +
                slices * cost::far_lines<T>(m, n, caches) * cost::streamed_line;
  if (several && streams) plan.cycles += cost::real(tiles) * cost::paged_rows<T>(n, k, b.row_stride);
  return plan;
}

/// Returns the in-place plan with the best tile: the widest for few rows, else the one that covers all columns of a
/// narrow C or the tile of packed panels.
template <class T>
[[nodiscard]] constexpr gemm_plan plan_in_place(vector_unit v, index_t m, index_t n, index_t k, operand_layout b,
                                                const gemm_caches& caches = {}) noexcept {
  const index_t vectors = v.vectors<T>(n);
  if (vectors == 1) return plan_in_place<T>(v, m, n, k, b, 1, tallest_tile(v, 1), caches);
  const index_t rows = ceil_div(m, ceil_div(m, index_t{tile_rows(v)}));
  const int nv = static_cast<int>(std::min<index_t>(widest_tile(v, rows), vectors));
  gemm_plan best = plan_in_place<T>(v, m, n, k, b, nv, rows, caches);
  if (vectors > nv && vectors <= most_vectors) {
    const int all = static_cast<int>(vectors);
    const gemm_plan wide = plan_in_place<T>(v, m, n, k, b, all, tallest_tile(v, all), caches);
    if (wide.cycles < best.cycles) best = wide;
  }
  return best;
}

/// Number of multiplications below which predicting takes longer than it could save: 28³ takes 282 ns without
/// predictions, 363 ns with.
inline constexpr index_t most_small = 32768;

/// Whether the number of multiplications is in [1, most], most ≤ 2^20.
[[nodiscard]] RIDGEPOINT_INLINE constexpr bool are_few(index_t m, index_t n, index_t k, index_t most) noexcept {
  return m <= most && n <= most && k <= most && m > 0 && n > 0 && k > 0 && m * n * k <= most;
}

/// Number of steps in depth that a register of B holds for a C of n columns: 2 for up to half a register, 4 for a
/// quarter, 8 for an eighth; 1 where folding does not pay. Folding needs permutations and masks of AVX-512.
template <class T>
[[nodiscard]] RIDGEPOINT_INLINE constexpr int depth_fold(vector_unit v, index_t n, index_t k) noexcept {
  const index_t lanes = v.lanes<T>();
  if (v.width_bytes < 64 || 2 * n > lanes || k < 4) return 1;  // 8×4 of depth 3: 21 ns folded, 19 ns on tiles
  return 8 * n <= lanes && k >= 8 ? 8 : 4 * n <= lanes ? 4 : 2;
}

/// Whether to choose a plan without predictions.
template <class T>
[[nodiscard]] RIDGEPOINT_INLINE constexpr bool is_small(vector_unit v, index_t m, index_t n, index_t k) noexcept {
  constexpr index_t most_narrow = 1024;  // narrow and deep: dot products or tiles; 64×2 of 200 takes 926 or 2061 ns
  const bool narrow = 2 * n <= v.lanes<T>() && k > 2 * v.lanes<T>() && depth_fold<T>(v, n, k) == 1;
  return are_few(m, n, k, narrow ? most_narrow : most_small);
}

/// Whether a small product takes less time element by element than choosing a tile would. An element costs about as
/// much as two more multiplications, a tile 15 to 40 ns, most where a table masks the last vector.
[[nodiscard]] RIDGEPOINT_INLINE constexpr bool is_tiny(vector_unit v, index_t m, index_t n, index_t k) noexcept {
  return m * n * (k + 2) <= (v.registers >= 32 ? 48 : 80);
}

/// Whether small_row() computes a small C. On AVX2, 2 columns of depth 20 take 32 ns as a row, 17 ns in a tile.
template <class T>
[[nodiscard]] RIDGEPOINT_INLINE constexpr bool is_small_row(vector_unit v, index_t m, index_t n, index_t k,
                                                            operand_layout b) noexcept {
  return m == 1 && n > 1 && 2 * n >= v.lanes<T>() && depth_fold<T>(v, n, k) == 1 && b.col_stride == 1;
}
/// Whether gemm_column() computes a small C, on AVX-512. 4 rows of 8 values take 25 ns as a column, 18 ns by elements;
/// 15 rows of one value 16 and 22 ns.
template <class T>
[[nodiscard]] RIDGEPOINT_INLINE constexpr bool is_small_column(vector_unit v, index_t m, index_t n, operand_layout a,
                                                               operand_layout b) noexcept {
  return n == 1 && v.width_bytes >= 64 && 2 * m >= v.lanes<T>() && a.col_stride == 1 && b.row_stride == 1;
}

/// Whether C is narrow and A stored by long columns, so that Cᵀ = Bᵀ·Aᵀ has long rows of both. A with fewer elements is
/// read in place: 48×8 by 4 columns 124 ns, transposed 152 ns; 32×40 310 and 190 ns.
template <class T>
[[nodiscard]] RIDGEPOINT_INLINE constexpr bool gains_turned(vector_unit v, index_t m, index_t n, index_t k,
                                                            operand_layout a) noexcept {
  return a.row_stride == 1 && a.col_stride != 1 && n > 1 && 2 * n <= v.lanes<T>() && m >= v.lanes<T>() && m * k >= 512;
}

/// Number of values of a row of A that one register holds for a column of C, with values of other rows: a power of two,
/// or the whole register where rows are longer.
template <class T>
[[nodiscard]] RIDGEPOINT_INLINE constexpr int column_fold(vector_unit v, index_t k) noexcept {
  const int most = 32 / static_cast<int>(sizeof(T));
  if (v.width_bytes < 64 || k > most) return static_cast<int>(v.lanes<T>());
  return k <= 2 ? 2 : k <= 4 ? 4 : most;
}

/// Whether C is a column, computed as dot products: twice as fast as tiles at 5000×64 in double. Before AVX-512 a dense
/// column of depth 1 is computed as a row.
[[nodiscard]] RIDGEPOINT_INLINE constexpr bool is_column(vector_unit v, index_t n, index_t k,
                                                         operand_layout a) noexcept {
  return n == 1 && a.col_stride == 1 && (k > 1 || v.width_bytes >= 64);
}

/// Whether a small product is computed as dot products of lines contiguous along the depth: a column of C, or a B
/// stored by columns where the sum of a dot product's lanes costs less than B transposed for tiles. Counted in FMAs: 5
/// per sum, 3/4 per element transposed, 300 to begin. 16×16 of depth 8 takes 344 ns as dots, 114 on tiles; 33×2 of 200
/// 314 and 1573 ns. A long row is a column of Cᵀ instead: 1×200 of depth 50 takes 685 ns as dots, 495 ns so.
template <class T>
[[nodiscard]] RIDGEPOINT_INLINE constexpr bool is_small_dot(vector_unit v, index_t m, index_t n, index_t k,
                                                            operand_layout a, operand_layout b) noexcept {
  if (!are_few(m, n, k, most_small) || a.col_stride != 1 || b.row_stride != 1) return false;
  if (n == 1) return is_column(v, n, k, a);
  return b.col_stride != 1 && (m > 1 || n <= 64) &&
         m * n * (v.vectors<T>(k) + 5) <= m * v.vectors<T>(n) * k + n * k * 3 / 4 + 300;
}

/// Whether C is computed in folded rows. Four columns of a long depth are left to the predictions: as dot products,
/// whose tiles they fill, 384×4 of depth 152 takes 5.8 µs, folded 6.4 µs.
template <class T>
[[nodiscard]] RIDGEPOINT_INLINE constexpr bool is_narrow(vector_unit v, index_t m, index_t n, index_t k,
                                                         operand_layout a, operand_layout b) noexcept {
  const index_t lanes = v.lanes<T>();
  const bool dots = n == 4 && 4 * n == lanes && m >= 2 * lanes && k >= 8 * lanes && !are_few(m, n, k, most_small);
  return n > 1 && !dots && depth_fold<T>(v, n, k) > 1 && a.col_stride == 1 && b.col_stride == 1;
}

/// Most columns that gemm_by_columns() computes.
inline constexpr int most_columns = 24;
/// Whether it computes n columns: those that leave a quarter of the lanes of registers along the rows of C idle.
template <class T>
[[nodiscard]] RIDGEPOINT_INLINE constexpr bool fits_columns(vector_unit v, index_t n) noexcept {
  return v.width_bytes >= 64 && 0 < n && n <= most_columns && 4 * n <= 3 * round_up(n, v.lanes<T>());
}
/// Whether n columns take less time so than `others` lanes of tiles. A lane of a column costs 0.9 of one of a tile; ten
/// steps in depth to begin and to exchange C, a tile four.
template <class T>
[[nodiscard]] RIDGEPOINT_INLINE constexpr bool gains_by_columns(vector_unit v, index_t m, index_t n, index_t k,
                                                                double others) noexcept {
  return cost::real(round_up(m, v.lanes<T>())) * cost::real(n) * cost::real(k + 10) <=
         0.9 * cost::real(m) * others * cost::real(k + 4);
}
/// Whether C is computed by columns: 32×5 of depth 160 takes 0.71 µs so, 1.1 µs folded, whose register counts as 0.7;
/// 1706×18 of depth 362 199 µs, in tiles 345 µs.
template <class T>
[[nodiscard]] RIDGEPOINT_INLINE constexpr bool is_by_columns(vector_unit v, index_t m, index_t n, index_t k,
                                                             operand_layout a, operand_layout b) noexcept {
  const index_t lanes = v.lanes<T>();
  if (!fits_columns<T>(v, n) || 4 * n <= lanes || m < lanes || k < 8) return false;
  const double others = 2 * n <= lanes ? 0.7 * cost::real(lanes) : cost::real(round_up(n, lanes));
  return a.col_stride == 1 && b.col_stride == 1 && gains_by_columns<T>(v, m, n, k, others);
}
/// Returns the plan of a C by columns; each step loads and exchanges as many values as five columns take.
template <class T>
[[nodiscard]] constexpr gemm_plan plan_columns(vector_unit v, index_t m, index_t n, index_t k) noexcept {
  return {.family = gemm_family::columns,
          .cycles = cost::real(ceil_div(m, v.lanes<T>())) * cost::real(n + 5) * cost::real(k + 10) * cost::per_fma(v)};
}
/// Returns the number of last columns of a wider C that are computed by columns, after the others; 0 if that does not
/// pay, as for a product that is chosen without a schedule. 121×34 of depth 116 takes 9.6 µs so, 12 µs in tiles.
template <class T>
[[nodiscard]] constexpr index_t separate_columns(vector_unit v, index_t m, index_t n, index_t k, operand_layout a,
                                                 operand_layout b) noexcept {
  const index_t lanes = v.lanes<T>(), last = n % lanes;
  const bool fits = n > most_columns && n <= 8 * lanes && fits_columns<T>(v, last) && m >= 2 * lanes && k >= 2 * lanes;
  return fits && a.col_stride == 1 && b.col_stride == 1 && !are_few(m, n, k, most_small) &&
                 gains_by_columns<T>(v, m, last, k, cost::real(lanes))
             ? last
             : 0;
}

/// Returns the plan of a small product with a row-major B.
template <class T>
[[nodiscard]] RIDGEPOINT_INLINE constexpr gemm_plan plan_small(vector_unit v, index_t m, index_t n, index_t k,
                                                               gemm_result result) noexcept {
  const index_t vectors = v.vectors<T>(n);
  if (result == gemm_result::product && k <= outer_depth && (m <= 4 || vectors > 4))
    return {.family = gemm_family::outer, .mr = 4};
  gemm_plan plan{.family = gemm_family::in_place, .kc = k};
  const bool all = vectors <= most_vectors;  // columns in one panel
  const index_t most = all ? tallest_tile(v, static_cast<int>(vectors)) : tile_rows(v);
  plan.mr = m <= most ? m : ceil_div(m, ceil_div(m, most));
  plan.nv = all ? static_cast<int>(vectors) : widest_tile(v, plan.mr);
  plan.slices = tile_slices(plan.mr, plan.nv, k);
  return plan;
}

/// Returns the plan of dot products along the depth.
template <class T>
[[nodiscard]] constexpr gemm_plan plan_dot(vector_unit v, index_t m, index_t n, index_t k, operand_layout b,
                                           const gemm_caches& caches = {}) noexcept {
  constexpr index_t size = sizeof(T);
  gemm_plan plan{.family = gemm_family::dot};
  const index_t a_bytes = m * k * size;
  const double per_byte = a_bytes > caches.l2 / 2 ? cost::l3_byte : a_bytes > caches.l1 ? cost::l2_byte : 0;
  const double reads = cost::real(ceil_div(n, dot_width(v, dot_height(v, m)))) * cost::real(a_bytes) * per_byte;
  const double steps = cost::real(m * n) * cost::real(v.vectors<T>(k)) * cost::per_fma(v) * 1.2;
  plan.cycles = 40 + (b.row_stride == 1 ? 0 : cost::real(k * ceil_div(n, index_t{4})) * cost::turn) +
                cost::real(m * n) * cost::fold + (std::max)(steps, reads);
  return plan;
}

/// Returns the plan for C(m×n) = A(m×k)·B(k×n): the applicable family with the least predicted time. A pure function of
/// its arguments.
/// Example: plan_gemm<float>(1024, 1024, 1024, {1024, 1}, {1024, 1}).pack_a  // with AVX-512: 14 rows in one cache set
template <class T>
[[nodiscard]] constexpr gemm_plan plan_gemm(vector_unit v, index_t m, index_t n, index_t k, operand_layout a,
                                            operand_layout b, const gemm_caches& caches = {},
                                            gemm_result result = gemm_result::product) noexcept {
  if (m == 0 || n == 0) return {};
  if (k == 0) return {.family = gemm_family::scale};
  gemm_plan best;
  const auto offer = [&](const gemm_plan& plan) {
    if (best.family == gemm_family::nothing || plan.cycles < best.cycles) best = plan;
  };
  const double vectors = cost::real(v.vectors<T>(n));
  const bool is_few = is_small<T>(v, m, n, k);
  if (is_few && is_small_row<T>(v, m, n, k, b)) return {.family = gemm_family::vector};
  if (is_few && is_small_column<T>(v, m, n, a, b)) return {.family = gemm_family::dot};
  if (is_few && is_tiny(v, m, n, k)) return {.family = gemm_family::element};
  if (is_small_dot<T>(v, m, n, k, a, b)) return {.family = gemm_family::dot};
  if (is_by_columns<T>(v, m, n, k, a, b)) return plan_columns<T>(v, m, n, k);
  if (is_narrow<T>(v, m, n, k, a, b)) return {.family = gemm_family::narrow};
  if (is_column(v, n, k, a) && b.row_stride == 1) return plan_dot<T>(v, m, n, k, b, caches);
  if (b.col_stride == 1) {
    if (is_few) {
      if (is_column(v, n, k, a)) return {.family = gemm_family::dot};
      return plan_small<T>(v, m, n, k, result);
    }
    gemm_plan in_place = plan_in_place<T>(v, m, n, k, b, caches);
    if (a.col_stride != 1 && n > 64 && m * k * index_t{sizeof(T)} > caches.l1)  // each step is on another page
      in_place.cycles += cost::real(ceil_div(m, in_place.mr) * k) *
                         (in_place.fetch_b != 0 && v.registers >= 32 ? cost::page_fetched : cost::page);
    if (evicts_rows<T>(a, in_place.mr, caches)) in_place.cycles *= cost::evicted;
    offer(in_place);
    if (m == 1)
      offer({.family = gemm_family::vector, .cycles = 60 + cost::real(k) * (std::max)(vectors * 0.75, cost::latency)});
    if (k <= outer_depth && result == gemm_result::product)
      offer(
          {.family = gemm_family::outer,
           .mr = 4,
           .cycles = cost::real(ceil_div(m, index_t{4})) * (40 + vectors * (4 * cost::real(k) * cost::per_fma(v) + 2)) +
                     cost::far_lines<T>(m, n, caches) * cost::streamed_line});
  }
  if (b.row_stride == 1 && b.col_stride != 1 && k * n * index_t{sizeof(T)} <= caches.l2 / 2) {
    const operand_layout row_major{round_up(n, v.lanes<T>()), 1};
    gemm_plan turned =
        is_few ? plan_small<T>(v, m, n, k, result) : plan_gemm<T>(v, m, n, k, a, row_major, caches, result);
    if (turned.family == gemm_family::columns) turned = plan_in_place<T>(v, m, n, k, row_major, caches);
    turned.turn_b = true;
    if (is_few) return turned;
    turned.cycles += cost::real(k * n) * cost::turn / 4;
    if (turned.family == gemm_family::in_place || turned.family == gemm_family::outer) offer(turned);
  }
  if (a.col_stride == 1 && (n <= 12 || (b.row_stride == 1 && m <= 16))) offer(plan_dot<T>(v, m, n, k, b, caches));
  const bool small_in_place = b.col_stride == 1 && (m <= 8 || m * n <= 32768 / k);  // packing never pays
  if (!small_in_place) offer(plan_packed<T>(v, m, n, k, a, b, caches));
  return best;
}

/// Returns a plan whose tiles sum the depth in one part, in order, as element-wise and outer products do.
template <class T>
[[nodiscard]] constexpr gemm_plan plan_in_turn(vector_unit v, index_t m, index_t n, index_t k) noexcept {
  const int nv = n > v.lanes<T>() ? 2 : 1;
  return {.family = gemm_family::in_place, .kc = k, .mr = std::min<index_t>(m, tallest_tile(v, nv)), .nv = nv};
}

/// Number of packed B elements that gemm_on_panels() stores for n columns, and of packed A elements for m rows.
template <class T>
[[nodiscard]] constexpr index_t packed_b_elements(vector_unit v, const gemm_plan& plan, index_t n) noexcept {
  return round_up((std::min)(plan.nc, n), panel_width<T>(v)) * plan.kc;
}
template <class T>
[[nodiscard]] constexpr index_t packed_a_elements(vector_unit v, const gemm_plan& plan, index_t m) noexcept {
  return plan.pack_a ? (std::min)(plan.mc, m) * plan.kc * copies_of_a<T>(v) + 2 * v.lanes<T>() : 0;
}

/// Threads along the rows and the columns of C.
struct gemm_grid {
  index_t rows = 1, cols = 1;
};

/// Returns the grid of up to `threads` blocks that finishes first: the largest block's tiles, plus packing, repeated by
/// every row of the grid for B and every column for A. 1×1 if a team costs more than it saves (2·m·n·k < 2·10⁶).
template <class T>
[[nodiscard]] constexpr gemm_grid plan_grid(vector_unit v, index_t m, index_t n, index_t k, index_t threads) noexcept {
  const index_t mr = tile_rows(v), nr = panel_width<T>(v);
  gemm_grid best;
  if (m * n < 1'000'000 / std::max<index_t>(k, 1)) return best;
  double best_cost = 0;
  for (index_t rows = 1; rows <= threads; ++rows) {
    const index_t cols = threads / rows;
    const index_t height = round_up(ceil_div(m, rows), mr), width = round_up(ceil_div(n, cols), nr);
    const double cost = static_cast<double>(height) * static_cast<double>(width) / static_cast<double>(nr) +
                        0.5 * static_cast<double>(height) + 0.5 * static_cast<double>(width);
    if (rows == 1 || cost < best_cost) best = {rows, cols}, best_cost = cost;
  }
  return best;
}

/// Epilogue of a register tile: c ← f(α·acc + β·c + bias).
template <class T>
struct tile_epilogue {
  T alpha = T(1), beta = T(0);
  const T* bias = nullptr;  // one value per column of the first tile, or null
  bool relu = false;
  bool streams = false;  // non-temporal stores: β = 0, rows of C are whole aligned vectors
};

/// True if storing a part of a register costs as much as a full store: AVX-512's masked stores. AVX and AVX2 store a
/// part in pieces, up to three stores.
[[nodiscard]] constexpr bool stores_parts(vector_unit v) noexcept { return v.width_bytes > 32; }

/// How a tile's results are stored.
enum class tile_exit : unsigned char {
  direct,    // vectors to C, the last one full or in part: everything is applied in registers
  narrow,    // one vector of fewer columns, without bias and relu
  finished,  // by finish_tile(): everything else
};

/// Segments of the rows of A, or of B: after k steps in depth one operand jumps to its next segment while the other
/// continues. The lower half of the rows of a tall tile of A may have an additional offset from the upper.
struct depth_segments {
  index_t count = 1;
  const index_t* offsets = nullptr;  // of segments 2 … in elements from the first
  index_t gap = 0;                   // additional elements between the halves
  bool of_b = false;
};

/// Run of register tiles, without the addresses of its first operands. Strides are in elements; A may be row-major,
/// transposed or packed: element (i, p) of a tile is a[i·a_row + p·a_step]. Tiles follow each other down the rows of C
/// (a_tile and c_tile lead to the next rows, b_tile is 0) or along its columns (b_tile and c_tile lead to the next
/// panel, a_tile is 0).
template <class T>
struct tile_run {
  index_t tiles = 0, k = 0;
  index_t a_tile = 0, a_row = 0, a_step = 0;
  depth_segments segments = {};    // each of k steps
  index_t b_tile = 0, b_step = 0;  // row p of B at b + p·b_step
  index_t c_tile = 0, ldc = 0;
  T* b_copy = nullptr;            // packed copy of B, written by tiles of tile_vectors and over tile_rows() / 2 rows
  const T* a_after = nullptr;     // next rows of A: prefetched while the current ones are last read
  const T* c_after = nullptr;     // C of the tiles after this run, prefetched with the last one
  index_t last_at = 0, last = 0;  // of the last vector: its column, (Nv − 1)·lanes or less; columns stored, 1 … lanes
  index_t whole_b = 0;            // small_tile(): depth steps that may read a full vector of B
  index_t fetch_b = 0;            // prefetch distance of b in elements, 0 none: for widest_tile() only
  index_t fetch_a = 0;            // prefetch distance of a, in addition: with 32 registers
  tile_epilogue<T> epilogue = {};
  int slices = 1;         // interleaved parts of the depth, from tile_slices()
  bool narrow_b = false;  // B has `last` columns in one vector: nothing beyond them is read
  bool fetches_c = false;
  tile_exit exit = tile_exit::direct;  // set by leave()

  /// Sets `exit` for nv vectors; call after all other fields are set.
  constexpr void leave(vector_unit v, int nv) noexcept {
    const bool plain = epilogue.bias == nullptr && !epilogue.relu;
    const bool whole = last == v.lanes<T>() || stores_parts(v);
    exit = whole ? tile_exit::direct : plain && nv == 1 ? tile_exit::narrow : tile_exit::finished;
  }
};

template <class T>
using gemm_tile_function = void (*)(const tile_run<T>&, const T* a, const T* b, T* c) noexcept;

/// Run of register tiles of a small product, fully prepared except for the addresses.
template <class T>
struct small_run {
  gemm_tile_function<T> tile = nullptr;
  index_t a = 0, b = 0, c = 0;  // element offsets of the first tile's operands
  tile_run<T> of = {};
};

/// Small product, prepared: C ← α·A·B + β·C as a few runs of register tiles; no decisions remain at the call.
template <class T>
struct small_product {
  static constexpr std::size_t most_runs = 6;
  int count = 0;  // 0: not a small product
  std::array<small_run<T>, most_runs> runs = {};

  RIDGEPOINT_INLINE RIDGEPOINT_CALLS_ANOTHER_COPY void operator()(const T* a, const T* b, T* c) const noexcept {
    for (int i = 0; i < count; ++i) {
      const small_run<T>& r = runs[static_cast<std::size_t>(i)];
      r.tile(r.of, a + r.a, b + r.b, c + r.c);
    }
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
