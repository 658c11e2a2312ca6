// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include <ridgepoint/cpu/conv2d_schedule.hpp>
#include <ridgepoint/cpu/conv2d_weights.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/ops/prepare.hpp>
#include <ridgepoint/simd/cpuid.hpp>

/// \file
/// Predicted cycles of convolution schedules on one thread, in the terms of kernels/gemm/plan.hpp: steps of register
/// tiles, including lanes without an element, overhead per tile, and bytes that are copied, packed or read from beyond
/// L2. They rank schedules, as for GEMM.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail::cost {

using kernels::cost::call;
using kernels::cost::fold;
using kernels::cost::l2_byte;
using kernels::cost::pack_byte;
using kernels::cost::per_fma;
using kernels::cost::per_store;
using kernels::cost::real;

using kernels::vector_unit;

inline constexpr double copy_byte = 0.01;                     // of rows with zero padding
inline constexpr double gather_byte = 0.35, gather_run = 15;  // of patches: a row of taps is a run
inline constexpr double row = 3;                              // of results, computed separately
inline constexpr double segment = 0.5;                        // a tile moves to the next segment
inline constexpr double packed_piece = 3.4;                   // of a window, at most a register
inline constexpr double turned = 3;                           // per element, stored by columns
inline constexpr double dot_step = 0.6, dot_load = 0.8;       // per register of the depth
inline constexpr double turned_byte = 0.03;                   // of a filter by columns, if larger than L1
inline constexpr double product = 50;                         // per point
inline constexpr double edge_byte = 0.03;                     // of tiles that extend beyond the image
inline constexpr double near_byte = 0.03, far_byte = 0.15;    // of data larger than L2, and over four times its size
inline constexpr double written_share = 0.1;                  // factor on these for results written sequentially
inline constexpr double strewn_byte = 0.3;                    // of results larger than L2, written tile by tile
inline constexpr double transform = 2.6;                      // factor on its arithmetic: its data is in L2

/// Returns the cycles of an FMA of one register on this CPU, relative to per_fma of the instruction set.
[[nodiscard]] inline double pace(vector_unit v) noexcept {
  return v.width_bytes == 64 && simd::cpu_halves_zmm() ? 2 : 1;
}
/// Predicts panels at that pace.
template <class T>
[[nodiscard]] double panels(vector_unit v, index_t mr, index_t n, int nv, index_t depth, int slices,
                            double per_b_byte) noexcept {
  return kernels::cost::panels<T>(v, mr, n, nv, depth, slices, per_b_byte / pace(v)) * pace(v);
}
[[nodiscard]] inline double bytes_of(index_t elements, std::size_t size) noexcept {
  return real(elements) * static_cast<double>(size);
}
/// Predicts `count` passes over adjacent values of `size` bytes.
[[nodiscard]] inline double passes(double count, index_t values, std::size_t size) noexcept {
  const double bytes = bytes_of(values, size), l2 = real(gemm_host_caches().l2);
  return bytes <= l2 / 2 ? 0 : count * bytes * (bytes <= 4 * l2 ? near_byte : far_byte);
}
/// Predicts reading the image.
template <class T>
[[nodiscard]] double image(const conv_product<T>& p) noexcept {
  const kernels::patches<T>& s = p.source;
  return passes(1, s.images * s.rows.sources * s.columns.sources * s.channels, sizeof(T));
}
/// Predicts reading the image and writing the results sequentially.
template <class T>
[[nodiscard]] double memory(const conv_product<T>& p) noexcept {
  return image(p) + passes(written_share, p.source.pixels() * p.columns(), sizeof(T));
}
/// Predicts a block of rows times n columns of depth k in panels, in `segments` segments.
template <class T>
[[nodiscard]] double block(vector_unit v, const kernels::tile_split& split, index_t n, index_t k, index_t segments,
                           double per_b_byte) noexcept {
  constexpr int nv = kernels::tile_vectors;
  const double per_panel = real(segments) * segment * real(ceil_div(n, kernels::panel_width<T>(v)));
  double cycles = 0;
  for (const auto [first, mr, count] : split.runs())
    cycles += real(count) * (panels<T>(v, mr, n, nv, k, 1, per_b_byte) + per_panel);
  return cycles;
}
/// Predicts packing the filter into panels.
template <class T>
[[nodiscard]] double packed_filter(const conv_product<T>& p, index_t elements, filter_is filter) noexcept {
  if (filter == filter_is::constant) return 0;
  return p.tap_filter.col_stride == 1 ? bytes_of(elements, sizeof(T)) * pack_byte : real(elements) * turned;
}
/// Calls use(rows, taps) for each group of result rows with equal taps.
template <class T, class Use>
void for_alike(const conv_product<T>& p, const Use& use) {
  for (index_t r = 0; r < p.source.rows.results;) {
    const kernels::alike_rows rows = kernels::rows_alike(p.source.rows, r, p.source.rows.results);
    use(real(rows.count * p.source.images), rows.last_tap - rows.first_tap);
    r += rows.count;
  }
}
/// Returns the cycles per byte of a panel of `depth` rows that tiles reread: 0 if L1 holds it.
template <class T>
[[nodiscard]] double panel_byte(vector_unit v, index_t depth) noexcept {
  return 2 * depth * kernels::panel_width<T>(v) * static_cast<index_t>(sizeof(T)) <= gemm_host_caches().l1 ? 0
                                                                                                           : l2_byte;
}
[[nodiscard]] inline double copies(const kernels::image_bands& b, std::size_t size) noexcept {
  return bytes_of(b.band * b.bands * b.all_images, size) * copy_byte;
}

/// Predicts rows of results that pass through memory of the thread.
template <class T>
[[nodiscard]] double cut_rows(const conv_product<T>& p) noexcept {
  return real(p.source.images * p.source.rows.results) * (call + bytes_of(p.row_elements, sizeof(T)) * pack_byte);
}
/// Predicts segments, also with joined pixels.
template <class T>
[[nodiscard]] double of_segments(vector_unit v, const conv_schedule& s, const conv_product<T>& p,
                                 filter_is filter) noexcept {
  const kernels::segment_rows<T> lines = kernels::window_segments<T>(p.source).rows(v);
  const index_t two = lines.pairs && p.is_flat() ? 2 : 1, tap_row = lines.per_tap_row * lines.length;
  const kernels::tile_split split = lines.split(v, two);
  double sum = copies(s.segments.bands, sizeof(T)) + memory(p) + passes(real(s.parts), s.packed, sizeof(T)) +
               packed_filter(p, s.packed, filter);
  for_alike(p, [&](double rows, index_t taps) {
    sum += rows * row / real(two) + rows / real(two) *
                                        block<T>(v, split, p.columns(), taps * tap_row, taps * lines.per_tap_row,
                                                 panel_byte<T>(v, taps * tap_row));
  });
  return sum;
}
template <class T>
[[nodiscard]] double of_patches(vector_unit v, const conv_schedule& s, const conv_product<T>& p,
                                filter_is filter) noexcept {
  const index_t all = s.patches.all, k = p.source.depth(), slices = ceil_div(k, s.patches.plan.kc),
                results = p.source.columns.results;
  const double gathered = bytes_of(all * k, sizeof(T)) * gather_byte +
                          real(all * p.source.rows.taps.count) * gather_run *
                              (p.source.columns.taps.source_step == 1 ? 1 : real(p.source.columns.taps.count));
  const double rows = p.is_flat() ? real(s.parts) : real(all) / real(results);
  return rows * row + gathered + memory(p) + passes(real(s.parts), s.packed, sizeof(T)) +
         packed_filter(p, s.packed, filter) +
         real(slices * (p.is_flat() ? 1 : all / results)) *
             block<T>(v, kernels::tile_split::of(p.is_flat() ? all : results, v), p.columns(), ceil_div(k, slices), 1,
                      l2_byte);
}
template <class T>
[[nodiscard]] double of_dots(vector_unit v, const conv_schedule& s, const conv_product<T>& p,
                             filter_is filter) noexcept {
  const kernels::segment_rows<T> lines = kernels::window_segments<T>(p.source).rows(v);
  const index_t n = p.columns(), pixels = p.source.columns.results, groups = ceil_div(n, kernels::dot_columns(v)),
                tap_row = lines.per_tap_row * v.vectors<T>(lines.length),
                filter_row = n * lines.per_tap_row * lines.length * static_cast<index_t>(sizeof(T));
  const double read = 2 * filter_row > gemm_host_caches().l1
                          ? real(filter_row * ceil_div(pixels, kernels::dot_height(v, pixels))) * turned_byte
                          : 0;
  double sum = copies(s.segments.bands, sizeof(T)) + memory(p) + passes(real(s.parts), s.packed, sizeof(T)) +
               (filter == filter_is::constant ? 0 : real(s.packed) * turned);
  for_alike(p, [&](double rows, index_t taps) {
    const double steps = pace(v) * real(taps * tap_row) * (dot_step * real(n) + dot_load * real(groups));
    sum += rows * (row + real(taps) * read + real(pixels) * (steps + fold * real(n)));
  });
  return sum;
}

/// Predicts the transform of `tiles` tiles, for each register of channels.
[[nodiscard]] inline double transformed(vector_unit v, index_t tiles, index_t registers, int flop,
                                        index_t stores) noexcept {
  return real(tiles) *
         (call * 2 +
          real(registers) * (std::max)(flop * per_fma(v) * pace(v), real(stores) * 1.5 * per_store) * transform);
}
/// Predicts copying the pixels of tiles that extend beyond the image.
template <class T>
[[nodiscard]] double edges(const kernels::patches<T>& tiles) noexcept {
  const auto inside = [](const kernels::tap_grid& line) {
    index_t count = 0;
    for (index_t i = 0; i < line.results; ++i)
      count += line.source(i, 0) >= 0 && line.source(i, line.taps.count - 1) < line.sources ? 1 : 0;
    return count;
  };
  const index_t all = tiles.rows.results * tiles.columns.results;
  return bytes_of(tiles.images * (all - inside(tiles.rows) * inside(tiles.columns)) * tiles.depth(), sizeof(T)) *
         edge_byte;
}
template <class T>
[[nodiscard]] double of_winograd(vector_unit v, const conv_schedule& s, const conv_product<T>& p,
                                 filter_is filter) noexcept {
  const kernels::winograd::tile_shape& tile = tile_of(s.algorithm, p.source.rows.taps.count);
  const index_t count = s.winograd.count, channels = p.source.channels, columns = p.columns();
  if (count == 0) return 0;
  const index_t in = v.vectors<T>(channels), out = v.vectors<T>(columns),
                parts = kernels::winograd::parts_of_depth(channels), written = columns * p.source.pixels();
  const double strewn = passes(1, written, sizeof(T)) > 0 ? bytes_of(written, sizeof(T)) * strewn_byte : 0;
  const double products =
      real(tile.points * parts) * block<T>(v, kernels::tile_split::of(count, v), columns, channels / parts, 1, l2_byte);
  return products + real(tile.points * parts * s.parts) * product +
         edges(kernels::winograd::tiles_of(p.source, tile.results, tile.edge)) +
         transformed(v, count, in, tile.input_flop / 2, tile.points) +
         transformed(v, count, out, tile.output_flop / 2, tile.results * tile.results) + image(p) + strewn +
         passes(real(s.parts), s.packed, sizeof(T)) +
         (filter == filter_is::constant ? 0
                                        : real(s.packed / v.lanes<T>() / tile.points) * tile.filter_flop +
                                              packed_filter(p, s.packed / tile.points * tile.taps * tile.taps, filter) +
                                              passes(1, s.packed, sizeof(T)));
}
/// Predicts a product on one thread.
template <class T>
[[nodiscard]] double cycles(vector_unit v, const conv_schedule& s, const conv_product<T>& p,
                            filter_is filter) noexcept {
  if (s.algorithm == conv_algorithm::exact) return s.gemm->plan.cycles * pace(v);
  if (is_winograd(s.algorithm)) return of_winograd(v, s, p, filter);
  const double cleared = real(p.source.pixels() * p.columns());
  const bool any = p.source.depth() > 0;
  switch (s.algorithm) {
    case conv_algorithm::patches:
      return !any ? cleared : s.parts == 0 ? 0 : of_patches(v, s, p, filter);
    case conv_algorithm::dots:
      return any ? of_dots(v, s, p, filter) : cleared;
    case conv_algorithm::automatic:
    case conv_algorithm::exact:
    case conv_algorithm::segments:
    case conv_algorithm::joined:
    case conv_algorithm::winograd:
    case conv_algorithm::winograd_2x2:
    case conv_algorithm::winograd_4x4:
    default:
      return (any ? of_segments(v, s, p, filter) : cleared) + (p.is_cut() ? cut_rows(p) : 0);
  }
}

/// Predicts adding the chunks of a sum.
[[nodiscard]] inline double added(const kernels::chunked_sum& chunks, std::size_t size) noexcept {
  return chunks.chunks > 1 ? bytes_of(chunks.chunks * chunks.size, size) * pack_byte : 0;
}
[[nodiscard]] inline double copies(index_t all, index_t band, index_t rows, std::size_t size) noexcept {
  return rows == 0 ? 0 : bytes_of(band * ceil_div(all, rows), size) * copy_byte;
}
template <class T>
[[nodiscard]] double of_packed(vector_unit v, const kernels::packed_weights_cut& s, const weights_product<T>& p,
                               index_t sources) noexcept {
  const kernels::window_rows<T> source(p.source);
  const index_t groups = ceil_div(source.all, s.rows), pixels = source.all * source.pixels, f = p.columns,
                depth = p.source.depth();
  const kernels::tile_split split = kernels::tile_split::of(depth, v);
  const index_t pieces = split.tiles + source.windows.count() - 1;  // they end where a tile or a segment ends
  const double packed = real(pieces * pixels) * packed_piece * real(kernels::copies_of_a<T>(v));
  return copies(source.all, s.band, s.rows, sizeof(T)) + packed +
         (s.panels > 0 ? bytes_of(pixels * f, sizeof(T)) * pack_byte : 0) +
         real(groups) * block<T>(v, split, f, ceil_div(pixels, groups), 1, l2_byte) + added(s.chunks, sizeof(T)) +
         passes(1, sources, sizeof(T)) + passes(1, pixels * f, sizeof(T)) +
         passes(2 * real(groups), depth * f, sizeof(T));
}
template <class T>
[[nodiscard]] double of_in_place(vector_unit v, const kernels::weights_in_place_cut& s, const weights_product<T>& p,
                                 index_t sources) noexcept {
  const kernels::window_rows<T> source(p.source);
  const bool along_taps = s.along == kernels::vectors_along::taps;
  const kernels::segment_rows<T> lines = source.windows.rows(v);
  const index_t groups = ceil_div(source.all, s.rows), pixels = source.all * source.pixels, f = p.columns,
                depth = ceil_div(pixels, groups), height = along_taps ? f : lines.length,
                width = along_taps ? lines.length : f, vectors = v.vectors<T>(width);
  const bool in_l1 = along_taps || 2 * bytes_of(depth * f, sizeof(T)) <= real(gemm_host_caches().l1);
  double tiles = 0;
  for (const auto [first, mr, count] : kernels::tile_split::of(height, v).runs()) {
    const int nv = kernels::widest_tile(v, mr);
    const int slices = kernels::tile_slices(mr, static_cast<int>(std::min<index_t>(nv, vectors)), lines.pixels);
    tiles += real(count) * (panels<T>(v, mr, width, nv, depth, slices, in_l1 ? 0 : l2_byte) +
                            real(ceil_div(vectors, nv) * s.rows) * segment);
  }
  return copies(source.all, s.band, s.rows, sizeof(T)) +
         real(groups * lines.per_tap_row * p.source.rows.taps.count) * tiles +
         (along_taps ? real(s.chunks.chunks * p.source.depth() * f) * turned : 0) + added(s.chunks, sizeof(T)) +
         passes(1, sources, sizeof(T)) + passes(1, pixels * f, sizeof(T)) +
         passes(2 * real(groups + (along_taps ? 4 * s.chunks.chunks : 0)), p.source.depth() * f, sizeof(T));
}
template <class T>
[[nodiscard]] double of_winograd(vector_unit v, const kernels::winograd_weights_cut& s,
                                 const kernels::winograd::tile_shape& tile, const weights_product<T>& p,
                                 index_t sources) noexcept {
  namespace wg = kernels::winograd;
  const index_t channels = p.source.channels, f = p.columns, count = s.chunks.terms;
  if (count == 0) return 0;
  const index_t parts = s.chunks.chunks * ceil_div(s.chunks.chunk, s.part), depths = parts * ceil_div(s.part, 128),
                in = v.vectors<T>(channels), out = v.vectors<T>(f);
  return real(tile.points * depths) * product + edges(wg::tiles_of(p.source, tile.results, tile.edge)) +
         edges(wg::result_tiles_of(p.source, tile.results, p.dy, f, p.dy_ld)) +
         transformed(v, count, in, tile.input_flop / 2, tile.points) +
         transformed(v, count, out, tile.gradient_flop / 2, tile.points) +
         real(tile.points * depths) *
             block<T>(v, kernels::tile_split::of(channels, v), f, ceil_div(count, depths), 1, l2_byte) +
         real(s.chunks.chunks * channels * out) * tile.weights_flop + added(s.chunks, sizeof(T)) +
         passes(1, sources, sizeof(T)) + passes(1, f * count * tile.results * tile.results, sizeof(T)) +
         passes(2 * real(parts), tile.points * s.m_plane, sizeof(T));
}
/// Predicts a filter gradient on one thread, from an image of `sources` values.
template <class T>
[[nodiscard]] double cycles(vector_unit v, const weights_schedule& s, const weights_product<T>& p,
                            index_t sources) noexcept {
  if (s.algorithm == conv_algorithm::exact) return s.gemm->plan.cycles * pace(v);
  if (is_winograd(s.algorithm))
    return of_winograd(v, s.winograd, tile_of(s.algorithm, p.source.rows.taps.count), p, sources);
  if (s.chunks.terms == 0) return 0;
  return s.algorithm == conv_algorithm::patches ? of_packed(v, s.packed, p, sources)
                                                : of_in_place(v, s.in_place, p, sources);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail::cost

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A pass of a convolution with its algorithm.
struct conv2d_prepared {
  preparation info;
  std::size_t packed_bytes = 0;  // of the packed or transformed filter: first in the workspace, or constant
  std::size_t part_bytes = 0;    // of the workspace, for each concurrent part of a pass in groups
  detail::filter_is filter = detail::filter_is::given;
  index_t joined = 0;                              // adjacent pixels computed as one; 0: not joined
  std::array<conv_algorithm, 16> of_product = {};  // exact: GEMM on the image; products beyond 16: patches by default
  detail::gemm_schedule gemm = {};                 // of the GEMM on the image
  index_t gemm_images = 0;                         // number of images in this GEMM
};

namespace detail {

/// Throws: unsupported if Winograd's algorithm is requested and cannot compute the pass.
template <class T>
void check_algorithm(std::string_view op, const conv2d_geometry& g, conv_algorithm requested) {
  if (!is_winograd(requested) || (winograd_element<T> && winograd_takes(requested, g))) return;
  require<unsupported>(false, op, ": ", to_string(g), " of ", sizeof(T),
                       " bytes an element; Winograd needs 3x3 taps of float, or ",
                       "5x5 for 2x2 results, stride and dilation 1");
}

/// Calls offer(algorithm) for each of Winograd's algorithms that can compute a pass with sums of `sum` products. Unless
/// requested, sums must be long enough for an error of at most twice that of direct summation.
template <class T, class Offer>
void offer_winograd(const conv2d_geometry& g, conv_algorithm requested, index_t sum, const Offer& offer) {
  if constexpr (winograd_element<T>) {
    if (requested != conv_algorithm::winograd && (requested != conv_algorithm::automatic || sum < 16)) return;
    for (const conv_algorithm tile : {conv_algorithm::winograd_4x4, conv_algorithm::winograd_2x2})
      if (winograd_takes(tile, g)) offer(tile);
  }
}

/// Keeps the candidate with the fewest predicted cycles.
struct cheapest_algorithm {
  conv_algorithm algorithm = conv_algorithm::patches;
  double cycles = std::numeric_limits<double>::infinity();
  void operator()(conv_algorithm candidate, double predicted) noexcept {
    if (predicted < cycles) algorithm = candidate, cycles = predicted;
  }
};

/// Returns true if the algorithm of a product, or of a filter gradient, is chosen by predicted time: none is requested.
[[nodiscard]] constexpr bool is_open(conv_algorithm requested) noexcept {
  return requested == conv_algorithm::automatic || requested == conv_algorithm::exact ||
         requested == conv_algorithm::joined;
}

/// Returns the only possible algorithm of a product, or of a filter gradient; automatic if there is a choice.
[[nodiscard]] constexpr conv_algorithm settled_algorithm(const auto& p, conv_algorithm requested) noexcept {
  if (requested == conv_algorithm::winograd_2x2 || requested == conv_algorithm::winograd_4x4) return requested;
  if (requested == conv_algorithm::winograd) return conv_algorithm::automatic;
  if (p.is_plain()) return conv_algorithm::exact;
  return is_open(requested) ? conv_algorithm::automatic : requested;
}

/// Returns the algorithm of a product: the one requested, without predicting its cycles, or the one with the fewest
/// predicted cycles on one thread, for any number of threads.
template <class T>
[[nodiscard]] cheapest_algorithm algorithm_of(kernels::vector_unit v, const conv_product<T>& p,
                                              const conv2d_geometry& g, conv_algorithm requested, filter_is filter) {
  if (const auto settled = settled_algorithm(p, requested); settled != conv_algorithm::automatic)
    return {.algorithm = settled};
  cheapest_algorithm cheapest;
  const auto offer = [&](conv_algorithm algorithm) {
    cheapest(algorithm, cost::cycles(v, schedule_of(v, 1, p, algorithm, {}), p, filter));
  };
  if (is_open(requested)) {
    offer(conv_algorithm::patches);
    if (!kernels::replicates_a<T>(v)) offer(conv_algorithm::segments);
    if (may_be_dots(v, p)) offer(conv_algorithm::dots);
  }
  offer_winograd<T>(g, requested, p.source.channels, offer);
  return cheapest;
}
template <class T>
[[nodiscard]] conv_algorithm algorithm_of(kernels::vector_unit v, const conv2d_backward_weights_args<T>& a,
                                          const weights_product<T>& p) {
  const conv2d_geometry& g = a.geometry;
  if (const auto settled = settled_algorithm(p, a.algorithm); settled != conv_algorithm::automatic) return settled;
  cheapest_algorithm cheapest;
  const auto offer = [&](conv_algorithm algorithm) {
    cheapest(algorithm, cost::cycles(v, schedule_of(v, 1, p, algorithm, {}), p, g.input_size()));
  };
  if (is_open(a.algorithm)) {
    offer(conv_algorithm::patches), offer(conv_algorithm::dots);
    if (!kernels::replicates_a<T>(v)) offer(conv_algorithm::segments);
  }
  offer_winograd<T>(g, a.algorithm, g.n * g.oh() * g.ow(), offer);
  return cheapest.algorithm;
}

/// Returns the number of products of a group of a pass, one per phase.
template <class T>
[[nodiscard]] index_t products_of(const conv_pass<T>& a) noexcept {
  return a.phases().h * a.phases().w;
}
template <class T>
[[nodiscard]] spatial phase_of(const conv_pass<T>& a, index_t number) noexcept {
  const index_t across = a.phases().w;
  return {number / across, number % across};
}

/// Returns the number of steps of a group of a prepared pass. Joined pixels cover all phases of a row.
template <class T>
[[nodiscard]] index_t steps_of(const conv_pass<T>& a, const conv2d_prepared& made) noexcept {
  return made.joined > 0 ? a.phases().h : products_of(a);
}
template <class T>
[[nodiscard]] conv_algorithm algorithm_of_step(const conv_pass<T>& a, const conv2d_prepared& made,
                                               index_t number) noexcept {
  if (made.joined > 0) return conv_algorithm::joined;
  const auto at = static_cast<std::size_t>(number);
  if (at < made.of_product.size()) return made.of_product[at];
  return is_open(a.algorithm) ? conv_algorithm::patches : a.algorithm;
}
/// The steps of a group of a prepared pass, one after the other: a step is valid until the next. Refers to its
/// arguments.
/// Example: for (const conv_step<float>& step : conv_steps(on, pass, group, made))
template <cpu_backend On, class T>
class conv_steps {
 public:
  conv_steps(const On& on, const conv_pass<T>& a, index_t group, const conv2d_prepared& made) noexcept
      : on_(on), a_(a), group_(group), made_(made) {}
  conv_steps(const On&, const conv_pass<T>&&, index_t, const conv2d_prepared&) = delete;  // would refer to a temporary
  conv_steps(const conv_steps&) = delete;  // iterators and steps refer to this
  conv_steps& operator=(const conv_steps&) = delete;
  ~conv_steps() = default;

  struct iterator {
    conv_steps* of;
    index_t number;
    [[nodiscard]] conv_step<T> operator*() const { return of->step(number); }
    iterator& operator++() noexcept {
      ++number;
      return *this;
    }
    [[nodiscard]] bool operator==(const iterator& other) const noexcept { return number == other.number; }
  };
  [[nodiscard]] iterator begin() noexcept { return {this, 0}; }
  [[nodiscard]] iterator end() noexcept { return {this, steps_of(a_, made_)}; }

 private:
  [[nodiscard]] conv_step<T> step(index_t number) {
    const conv_algorithm algorithm = algorithm_of_step(a_, made_, number);
    const spatial phase = made_.joined > 0 ? spatial(number, 0) : phase_of(a_, number);
    conv_product<T> p = product_of(a_, group_, phase);
    if (made_.joined > 0) join(a_, made_.joined, p);
    const bool replans = algorithm == conv_algorithm::exact && a_.geometry.n != made_.gemm_images;
    if (replans) replanned_ = detail::schedule(on_, p.plain());
    return {p, schedule_of(on_.vectors(), on_.thread_count(), p, algorithm, replans ? replanned_ : made_.gemm), phase,
            made_.joined};
  }

  const On& on_;
  const conv_pass<T>& a_;
  index_t group_;
  const conv2d_prepared& made_;
  gemm_schedule replanned_;
};

/// Predicts the cycles of a group of a pass.
template <cpu_backend On, class T>
[[nodiscard]] double predicted_cycles(const On& on, const conv_pass<T>& a, const conv2d_prepared& made) {
  double sum = 0;
  for (const conv_step<T>& step : conv_steps(on, a, 0, made))
    sum += cost::cycles(on.vectors(), step.schedule, step.product, made.filter);
  return sum;
}

/// Returns the number of adjacent pixels of a pass to compute as one: if requested, or if predicted to take less than
/// `cycles`, the cycles of `made`, infinite if unknown; 0: not joined.
template <cpu_backend On, class T>
[[nodiscard]] index_t pixels_to_join(const On& on, const conv_pass<T>& a, const conv2d_prepared& made, double cycles) {
  const bool requested = a.algorithm == conv_algorithm::joined;
  if (!requested && (a.algorithm != conv_algorithm::automatic || kernels::replicates_a<T>(on.vectors()))) return 0;
  const index_t joined = likely_joined(on.vectors(), a);
  if (requested || joined == 0) return joined;
  conv2d_prepared other = made;
  other.joined = joined;
  if (exactly(cycles, std::numeric_limits<double>::infinity())) cycles = predicted_cycles(on, a, made);
  return predicted_cycles(on, a, other) < cycles ? joined : 0;
}

}  // namespace detail

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
