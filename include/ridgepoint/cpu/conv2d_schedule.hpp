// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>

#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/cpu/depthwise_conv2d.hpp>
#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/cpu/gemm_schedule.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/cpu/past_caches.hpp>
#include <ridgepoint/kernels/conv/conv2d_kernels.hpp>
#include <ridgepoint/kernels/conv/winograd_work.hpp>
#include <ridgepoint/ops/conv2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

using kernels::conv_product;

using kernels::conv_direction;

/// A forward pass, or an image gradient: products of the windows of an image and a filter.
template <class T>
struct conv_pass {
  conv_direction direction = conv_direction::forward;
  conv2d_geometry geometry = {};
  const T* from = nullptr;  // x, or dy
  const T* w = nullptr;
  const T* bias = nullptr;
  T* to = nullptr;  // y, or dx
  activation act = activation::none;
  conv_algorithm algorithm = conv_algorithm::automatic;
  const T* residual = nullptr;
  double slope = 0;
  bool needs_finish_pass = false;  // a second pass over the results applies activation and residual

  [[nodiscard]] bool is_forward() const noexcept { return direction == conv_direction::forward; }
  /// Returns the phases of the results in both directions: sets of pixels of an image gradient with the same taps.
  [[nodiscard]] spatial phases() const noexcept {
    const conv2d_geometry& g = geometry;
    return is_forward() ? spatial(1) : spatial((std::min)(g.stride.h, g.h), (std::min)(g.stride.w, g.w));
  }
  [[nodiscard]] index_t input_size() const noexcept {
    return is_forward() ? geometry.input_size() : geometry.output_size();
  }
  [[nodiscard]] index_t output_size() const noexcept {
    return is_forward() ? geometry.output_size() : geometry.input_size();
  }
};
template <std::floating_point T>
[[nodiscard]] conv_pass<T> pass_of(const conv2d_args<T>& a) noexcept {
  return {.direction = conv_direction::forward,
          .geometry = a.geometry,
          .from = a.x,
          .w = a.w,
          .bias = a.bias,
          .to = a.y,
          .act = a.act,
          .algorithm = a.algorithm,
          .residual = a.residual,
          .slope = a.slope,
          .needs_finish_pass = needs_finish_pass(a)};
}
template <std::floating_point T>
[[nodiscard]] conv_pass<T> pass_of(const conv2d_backward_data_args<T>& a) noexcept {
  return {.direction = conv_direction::backward,
          .geometry = a.geometry,
          .from = a.dy,
          .w = a.w,
          .to = a.dx,
          .algorithm = a.algorithm};
}

/// Returns a pointer to element `first`; null if there is no memory.
template <class T>
[[nodiscard]] T* part_of(T* all, index_t first) noexcept {
  return all == nullptr ? nullptr : all + first;
}

/// Returns the pass of some adjacent images.
template <class T>
[[nodiscard]] conv_pass<T> images_of(conv_pass<T> a, index_t first, index_t count) noexcept {
  a.geometry.n = 1;
  const index_t output = first * a.output_size();
  a.from = part_of(a.from, first * a.input_size()), a.to = part_of(a.to, output);
  a.residual = part_of(a.residual, output);
  a.geometry.n = count;
  return a;
}

/// Returns the windows of a forward pass in a group.
template <class T>
[[nodiscard]] kernels::patches<T> patches_of(const conv2d_geometry& g, const T* x, index_t group) noexcept {
  const index_t c = g.group_c();
  return {part_of(x, group * c), g.n, c, kernels::taps_forward(g.rows()), kernels::taps_forward(g.columns()), g.c};
}

/// Returns the product of a group. For an image gradient: of the pixels in row `phase.h` and column `phase.w` modulo
/// the stride.
template <class T>
[[nodiscard]] conv_product<T> product_of(const conv_pass<T>& a, index_t group, spatial phase) noexcept {
  const conv2d_geometry& g = a.geometry;
  const index_t first = group * g.group_f();
  const matrix_view<const T> tap_filter{part_of(a.w, first), g.group_c(), g.group_f(), g.f};
  conv_product<T> p{.tap_filter = tap_filter, .tap_size = g.group_c() * g.f, .taps_per_row = g.kw};
  if (a.is_forward()) {
    p.source = patches_of(g, a.from, group);
    p.results = part_of(a.to, first);
    p.pixel_step = g.f, p.row_step = p.source.columns.results * g.f, p.image_step = p.source.rows.results * p.row_step;
    p.options.bias = part_of(a.bias, first), p.options.act = a.needs_finish_pass ? activation::none : a.act;
    return p;
  }
  p.source = {part_of(a.from, first),
              g.n,
              g.group_f(),
              kernels::taps_backward(g.rows(), phase.h),
              kernels::taps_backward(g.columns(), phase.w),
              g.f};
  p.tap_filter = tap_filter.transposed();
  p.results = part_of(a.to, (phase.h * g.w + phase.w) * g.c + group * g.group_c());
  p.pixel_step = g.stride.w * g.c, p.row_step = g.stride.h * g.w * g.c, p.image_step = g.h * g.w * g.c;
  return p;
}

/// States if a filter is the same in every run, so that it is packed or transformed once.
enum class filter_is { given, constant };

/// Returns the work of `each` products for each of `pixels` pixels.
[[nodiscard]] inline work products_of(index_t pixels, index_t each) noexcept {
  const std::uint64_t flop = 2 * static_cast<std::uint64_t>(pixels) * static_cast<std::uint64_t>(each);
  return {.flop = flop, .matrix_flop = flop};
}
[[nodiscard]] constexpr std::uint64_t times(index_t a, index_t b) noexcept {
  return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
}

// Division of convolution products into parts, for each algorithm, and a thread's memory. The result of a pixel does
// not depend on its part.

/// Returns bands whose source rows, copied where windows extend beyond the image, fill a quarter of L2.
template <class T>
[[nodiscard]] kernels::image_bands bands_of(index_t threads, const kernels::patches<T>& p) noexcept {
  constexpr index_t size = sizeof(T);
  const index_t l2 = gemm_host_caches().l2;
  const kernels::window_segments<T> windows(p);
  kernels::image_bands b{.all_images = p.images, .all_rows = p.rows.results};
  if (p.depth() == 0 || p.pixels() == 0) return b;
  const auto fits = [&](index_t count) { return windows.band_elements(count) * size <= l2 / 4; };
  b.rows = b.all_rows;
  while (b.rows > 1 && !fits(b.rows)) b.rows = ceil_div(b.rows, 2);
  if (threads > 1)
    while (b.rows > 1 && b.all_images * ceil_div(b.all_rows, b.rows) < 4 * threads) b.rows = ceil_div(b.rows, 2);
  b.bands = ceil_div(b.all_rows, b.rows);
  b.images = 1;
  if (b.bands == 1) {
    const index_t most = std::max<index_t>(1, l2 / 4 / size / std::max<index_t>(1, windows.band_elements(b.rows)));
    b.images = (std::min)(most, ceil_div(b.all_images, threads == 1 ? 1 : 4 * threads));
  }
  b.band = windows.copies() ? windows.band_elements(b.rows) : 0;
  return b;
}
template <class T>
kernels::band_memory<T> memory_of(kernels::vector_unit v, const conv_product<T>& p, const kernels::segments_cut& s,
                                  std::byte* memory, std::size_t& bytes) noexcept {
  kernels::band_memory<T> m{};
  m.copy = take_piece<T>(memory, bytes, s.bands.images * s.bands.band);
  m.offsets = take_piece<index_t>(memory, bytes, kernels::window_segments<T>(p.source).count());
  if (s.spare_rows > 0) m.spare = take_piece<T>(memory, bytes, s.spare_rows * p.spare_row(v.lanes<T>()));
  return m;
}

/// Segments: as many columns and taps at once as their filter fills half of L2. If rows are split, the filter is small,
/// and all columns and taps are processed at once.
template <class T>
[[nodiscard]] kernels::segments_cut cut_segments(kernels::vector_unit v, index_t threads,
                                                 const conv_product<T>& p) noexcept {
  const kernels::gemm_caches& caches = gemm_host_caches();
  const index_t size = sizeof(T), nr = kernels::panel_width<T>(v), k = p.source.depth(), n = p.columns(),
                tap_rows = p.source.rows.taps.count;
  kernels::segments_cut s{.bands = bands_of(threads, p.source), .l1 = caches.l1};
  if (s.bands.parts() == 0) return s;
  if (p.is_cut())
    s.spare_rows = std::clamp<index_t>(caches.l1 / 4 / size / p.spare_row(v.lanes<T>()), 1, p.source.rows.results);
  const index_t tap_row = k / tap_rows;
  s.taps = std::clamp<index_t>(caches.l2 / 2 / size / (tap_row * nr), 1, tap_rows);
  s.columns = (std::max)(nr, caches.l2 / 2 / size / (s.taps * tap_row) / nr * nr);
  const bool once = s.taps >= tap_rows && s.spare_rows == 0 &&
                    (p.options.act == activation::none || p.options.act == activation::relu);
  const kernels::patches<T>& from = p.source;
  const index_t read = from.images * from.rows.sources * from.columns.sources * from.channels;
  if (once) s.how = stores_of_tiles(v, read + from.pixels() * n, p.results, n, p.pixel_step);
  return s;
}

/// Dot products: vectors run along the depth, so that few columns waste no lanes. The rows of taps processed at once,
/// with their part of the filter, fill half of L1.
template <class T>
[[nodiscard]] kernels::segments_cut cut_dots(index_t threads, const conv_product<T>& p) noexcept {
  kernels::segments_cut s{.bands = bands_of(threads, p.source)};
  if (s.bands.parts() == 0) return s;
  const index_t tap_rows = p.source.rows.taps.count, tap_row = p.source.depth() / tap_rows * p.columns();
  s.taps = std::clamp<index_t>(gemm_host_caches().l1 / 2 / static_cast<index_t>(sizeof(T)) / tap_row, 1, tap_rows);
  return s;
}
/// Returns true if dot products may be the fastest way to compute a product. Never with registers of one value;
/// otherwise the prediction decides (conv2d_choice.hpp), whose constants are for AVX2 and AVX-512. Where A is packed,
/// with SSE4.2, only for a few columns, in fifths of the time that a tile takes for an element of a window:
///   registers·(6·columns + 5) + 30·columns < 5·depth
/// A register of a window is loaded, 5, and multiplied and added for each column, 6; its sum is folded at the end, 30.
template <class T>
[[nodiscard]] bool may_be_dots(kernels::vector_unit v, const conv_product<T>& p) noexcept {
  if (!kernels::replicates_a<T>(v)) return v.lanes<T>() != 1;
  const index_t n = p.columns(), registers = kernels::window_segments<T>(p.source).registers(v);
  return n <= kernels::dot_columns(v) && registers * (6 * n + 5) + 30 * n < 5 * p.source.depth();
}

/// Patches: the patches of a part, gathered in a thread's memory, fill a sixteenth of L2.
template <class T>
[[nodiscard]] kernels::patches_cut cut_patches(kernels::vector_unit v, const conv_product<T>& p) noexcept {
  const index_t size = sizeof(T), mr = kernels::tile_rows(v), k = p.source.depth(), n = p.columns(),
                all = p.source.pixels();
  kernels::patches_cut s{.all = all};
  if (k == 0 || all == 0) return s;
  s.ld = kernels::row_distance<T>(k);
  const index_t most = (std::max)(4 * mr, gemm_host_caches().l2 / 16 / (s.ld * size)),
                least_parts = (std::max)(ceil_div(all, most), std::min<index_t>(16, ceil_div(all, 4 * mr)));
  s.pixels = (std::min)(all, round_up(ceil_div(all, least_parts), p.is_flat() ? mr : p.source.columns.results));
  s.plan = kernels::plan_packed<T>(v, s.pixels, n, k, {s.ld, 1}, {n, 1}, gemm_host_caches());
  return s;
}
template <class T>
struct patches_memory {
  T *patches, *packed_a;
};
template <class T>
patches_memory<T> memory_of(kernels::vector_unit v, const kernels::patches_cut& s, std::byte* memory,
                            std::size_t& bytes) noexcept {
  T* const patches = take_piece<T>(memory, bytes, s.pixels * s.ld);
  return {patches, take_piece<T>(memory, bytes, kernels::packed_a_elements<T>(v, s.plan, s.pixels))};
}

/// Types that Winograd's algorithm is compiled for.
template <class T>
concept winograd_element = std::same_as<T, float>;

/// Returns the tile of a Winograd algorithm for a filter with `taps` taps per line.
[[nodiscard]] constexpr const kernels::winograd::tile_shape& tile_of(conv_algorithm algorithm, index_t taps) noexcept {
  namespace wg = kernels::winograd;
  if (algorithm == conv_algorithm::winograd_4x4) return wg::shape_of<wg::tile<4, 3>>;
  return taps == 3 ? wg::shape_of<wg::tile<2, 3>> : wg::shape_of<wg::tile<2, 5>>;
}

/// Winograd: V and M of a part fill two fifths of L2, or more than all of it if the filter, read once for each part, is
/// much larger.
template <class T>
[[nodiscard]] kernels::winograd_cut cut_winograd(kernels::vector_unit v, const conv_product<T>& p,
                                                 const kernels::winograd::tile_shape& tile) noexcept {
  namespace wg = kernels::winograd;
  const index_t size = sizeof(T), lanes = v.lanes<T>(), nr = kernels::panel_width<T>(v), mr = kernels::tile_rows(v),
                channels = p.source.channels, l2 = gemm_host_caches().l2;
  const index_t panels_at_once = kernels::replicates_a<T>(v) ? 8 : 1;  // for which A is packed
  kernels::winograd_cut s{.results = tile.results, .taps = tile.taps};
  s.count = wg::tiles_of(p.source, tile.results, tile.edge).pixels();
  s.group = (std::min)(round_up(p.columns(), lanes), panels_at_once * nr);
  s.v_ld = kernels::row_distance<T>(round_up(channels, lanes));
  const index_t tile_bytes = tile.points * (s.v_ld + s.group) * size;
  s.u_plane = wg::plane_of<T>(channels * nr);
  s.u_panel = tile.points * s.u_plane;
  const bool streams = ceil_div(p.columns(), nr) * s.u_panel * size > 2 * l2;  // the filter does not stay in L2
  s.fetched = streams ? 4096 / size : 0;
  const index_t part = std::clamp<index_t>((streams ? l2 * 4 / 3 : l2 * 2 / 5) / tile_bytes, 2 * mr, 16 * mr);
  s.part =
      s.count <= part ? s.count : (std::min)(part / mr * mr, round_up(ceil_div(s.count, ceil_div(s.count, part)), mr));
  s.v_plane = wg::plane_of<T>(s.part * s.v_ld);
  s.m_plane = wg::plane_of<T>(s.part * s.group);
  return s;
}
template <class T>
kernels::winograd_memory<T> memory_of(kernels::vector_unit v, const conv_product<T>& p, const kernels::winograd_cut& s,
                                      std::byte* memory, std::size_t& bytes) noexcept {
  namespace wg = kernels::winograd;
  const index_t edge = s.results + s.taps - 1, points = edge * edge;
  kernels::winograd_memory<T> m{};
  m.v = take_piece<T>(memory, bytes, points * s.v_plane);
  m.m = take_piece<T>(memory, bytes, points * s.m_plane);
  m.copy = take_piece<T>(memory, bytes, wg::copied_elements(v, wg::tiles_of(p.source, s.results, edge)));
  if (kernels::replicates_a<T>(v))
    m.packed_a =
        take_piece<T>(memory, bytes, s.part * p.source.channels * kernels::copies_of_a<T>(v) + 2 * v.lanes<T>());
  return m;
}

/// Returns a row of results of a pass.
template <class T>
[[nodiscard]] kernels::result_line line_of(const conv_pass<T>& a) noexcept {
  return {a.geometry.columns(), a.direction};
}

/// Changes p, the product of single pixels, into one that computes `joined` adjacent pixels of a result row as one,
/// with more columns:
///   (y(j), …, y(j + joined − 1)) ← (the sources of these pixels) · filter', where column block i of filter' is the
/// filter, shifted by i pixels, and zero elsewhere. This fills vectors of columns that one pixel leaves empty, and
/// tiles of an image gradient need not be split into phases. kernels::pack_joined_filter packs the filter.
template <class T>
void join(const conv_pass<T>& a, index_t joined, conv_product<T>& p) noexcept {
  const kernels::result_line line = line_of(a);
  const kernels::joined_window window(line, joined);
  const index_t columns = p.columns();
  kernels::tap_grid& grid = p.source.columns;
  grid.results = ceil_div(line.pixels(), joined);
  grid.step *= joined / line.phases();
  grid.taps = {.count = window.last - window.first, .source = window.first};
  p.tap_filter = {nullptr, p.source.channels, joined * columns};
  p.pixel_step = joined * columns;
  p.row_elements = line.pixels() * columns;
}
/// Returns the maximum columns of joined pixels for this instruction set; below, for any.
template <class T>
[[nodiscard]] constexpr index_t joined_columns(kernels::vector_unit v) noexcept {
  return 4 * kernels::panel_width<T>(v);
}
template <class T>
inline constexpr std::size_t most_joined_columns = 4 * kernels::tile_vectors * 64 / sizeof(T);

/// Returns the best number of adjacent pixels to join: more than one, in all phases, up to joined_columns columns, with
/// the fewest steps of tiles; 0: none can be joined.
template <class T>
[[nodiscard]] index_t likely_joined(kernels::vector_unit v, const conv_pass<T>& a) noexcept {
  const index_t lanes = v.lanes<T>(), nr = kernels::panel_width<T>(v);
  const conv_product<T> one = product_of(a, 0, spatial(0));
  const kernels::result_line line = line_of(a);
  const index_t pixels = line.pixels(), phases = line.phases(), columns = one.columns(),
                deep = one.source.rows.taps.count * one.source.channels;
  if (a.geometry.groups > 1 || one.is_plain() || one.source.depth() == 0) return 0;
  double best = std::numeric_limits<double>::infinity();
  index_t chosen = 0;
  kernels::joined_window window(line, 0);
  for (index_t joined = phases; joined * columns <= joined_columns<T>(v); joined += phases) {
    window.add(line, joined - phases, joined);
    if (joined == 1) continue;
    const index_t depth = deep * (window.last - window.first), all = joined * columns;
    if (joined >= pixels + phases || packed_elements<T>(v, depth, all) * index_t{sizeof(T)} > gemm_host_caches().l2 / 4)
      break;
    // A panel costs a call, which multiplies one step after the other; storing part of a vector takes longer.
    const auto panels = static_cast<double>(ceil_div(all, nr)), deep_steps = static_cast<double>(depth),
               steps = static_cast<double>(ceil_div(all, lanes)) * deep_steps;
    const double stores = all % lanes == 0 || all < nr ? 3 : 8;
    const double cycles =
        (pixels % joined == 0 ? 0 : 20 + static_cast<double>(pixels * columns) / static_cast<double>(lanes)) +
        40 * panels +
        (std::max)(4 * deep_steps * panels, static_cast<double>(ceil_div(pixels, joined)) * (stores + 0.55 * steps));
    if (cycles < best) best = cycles, chosen = joined;
  }
  return chosen;
}

/// Applies y ← act(y + residual) to the results of a pass if its products did not.
template <cpu_backend On, class T>
void finish_results(const On& on, const conv_pass<T>& a) noexcept {
  if (a.residual == nullptr && a.act == activation::none) return;
  ridgepoint::for_parts(on, a.output_size(), [&](index_t begin, index_t end) {
    on.template call<kernels::conv2d_finish<T>>(a.to, a.residual, a.act, static_cast<T>(a.slope), begin, end);
  });
}

/// Parts of a pass in groups, or of one with a finish pass: some images and one group each. Each part is a separate
/// convolution, on one thread if there are enough parts. Half of L2 holds the inputs and outputs of a part's images,
/// for the groups that follow and for the finish pass.
struct group_parts {
  index_t groups = 1, all_images = 0, images = 0, chunks = 1;  // images of a part; parts of a group

  /// All images in one part.
  explicit group_parts(index_t groups_) noexcept : groups(groups_) {}
  template <class T>
  explicit group_parts(const conv_pass<T>& a) noexcept
      : groups(a.geometry.groups), all_images(a.geometry.n), images(a.geometry.n) {
    const conv2d_geometry& g = a.geometry;
    if ((groups == 1 && !a.needs_finish_pass) || g.n < 2) return;
    constexpr index_t size = sizeof(T);
    images = std::clamp<index_t>(gemm_host_caches().l2 / 2 / size * g.n / (g.input_size() + g.output_size()), 1, g.n);
    chunks = ceil_div(g.n, images);
  }
  [[nodiscard]] index_t count() const noexcept { return groups * chunks; }
  /// Returns the number of parts that run at once.
  template <cpu_backend On>
  [[nodiscard]] int at_once(const On& on) const noexcept {
    return count() < on.thread_count() ? 1 : on.thread_count();
  }
  /// Returns the backend of each part.
  template <cpu_backend On>
  [[nodiscard]] auto each_on(const On& on) const -> decltype(on.on_one_thread()) {
    if (at_once(on) == 1) return on;
    return on.on_one_thread();
  }
  /// Returns the images of a part; its group is part % groups.
  template <class T>
  [[nodiscard]] conv_pass<T> images_of_part(const conv_pass<T>& a, index_t part) const noexcept {
    if (chunks == 1) return a;
    const index_t first = part / groups * images;
    return images_of(a, first, (std::min)(images, all_images - first));
  }
};

/// Returns true if every channel has separate filters, so that the pass runs as depthwise_conv2d(), unless requested
/// otherwise.
[[nodiscard]] inline bool is_by_channel(const conv2d_geometry& g, conv_algorithm requested) noexcept {
  const bool free = requested == conv_algorithm::automatic || requested == conv_algorithm::exact;
  return free && g.groups == g.c && g.groups > 1;
}
[[nodiscard]] inline depthwise_geometry by_channel(const conv2d_geometry& g) noexcept {
  return {.n = g.n,
          .h = g.h,
          .w = g.w,
          .c = g.c,
          .multiplier = g.group_f(),
          .kh = g.kh,
          .kw = g.kw,
          .stride = g.stride,
          .padding = g.padding,
          .dilation = g.dilation};
}
template <class T>
[[nodiscard]] depthwise_conv2d_backward_weights_args<T> by_channel(const conv2d_backward_weights_args<T>& a) noexcept {
  return {.geometry = by_channel(a.geometry), .x = a.x, .dy = a.dy, .dw = a.dw, .db = a.db};
}
/// Calls use(args) with the equivalent pass of depthwise_conv2d().
template <class T, class Use>
decltype(auto) use_by_channel(const conv_pass<T>& a, const Use& use) {
  const depthwise_geometry g = by_channel(a.geometry);
  if (a.is_forward()) return use(depthwise_conv2d_args<T>{g, a.from, a.w, a.bias, a.to});
  return use(depthwise_conv2d_backward_data_args<T>{g, a.from, a.w, a.to});
}
template <cpu_backend On, class T>
void run_by_channel(const On& on, const conv_pass<T>& a) {
  use_by_channel(a, [&](const auto& of) { execute(on, of); });
  finish_results(on, a);
}
/// Returns the work of such a pass: its receipt with the executed products.
template <cpu_backend On, class T>
[[nodiscard]] work executed_by_channel(const On& on, const conv_pass<T>& a, const work& receipt) {
  return executed_with(use_by_channel(a, [&](const auto& of) { return prepare(on, of).info.executed.matrix_flop; }),
                       receipt);
}

/// Schedule of a product with a settled algorithm; exact: as a GEMM on the image itself. Plain data.
struct conv_schedule {
  conv_algorithm algorithm;
  index_t packed = 0;            // elements of the packed or transformed filter
  index_t parts = 0;             // run in parallel
  std::size_t worker_bytes = 0;  // of each thread
  union {
    const gemm_schedule* gemm;       // exact
    kernels::segments_cut segments;  // segments, joined, dots
    kernels::patches_cut patches;
    kernels::winograd_cut winograd;
  };

  explicit conv_schedule(conv_algorithm by) noexcept : algorithm(by), gemm(nullptr) {}
};

/// Returns an algorithm's name for info.
[[nodiscard]] constexpr const char* name_of(conv_algorithm algorithm) noexcept {
  switch (algorithm) {
    case conv_algorithm::segments:
      return "segments";
    case conv_algorithm::patches:
      return "patches";
    case conv_algorithm::joined:
      return "joined";
    case conv_algorithm::dots:
      return "dots";
    case conv_algorithm::winograd_2x2:
      return "winograd 2x2";
    case conv_algorithm::winograd_4x4:
      return "winograd 4x4";
    case conv_algorithm::automatic:
    case conv_algorithm::exact:
    case conv_algorithm::winograd:
    default:
      return "product";
  }
}

/// Schedules a product on `threads` threads; planned: the GEMM schedule if exact, which must outlive the result.
template <class T>
[[nodiscard]] conv_schedule schedule_of(kernels::vector_unit v, index_t threads, const conv_product<T>& p,
                                        conv_algorithm algorithm, const gemm_schedule& planned) noexcept {
  conv_schedule s(algorithm);
  switch (algorithm) {
    case conv_algorithm::segments:
    case conv_algorithm::joined:
    case conv_algorithm::dots:
      std::construct_at(&s.segments,
                        algorithm == conv_algorithm::dots ? cut_dots(threads, p) : cut_segments(v, threads, p));
      s.parts = s.segments.bands.parts();
      if (s.parts == 0) return s;
      memory_of(v, p, s.segments, nullptr, s.worker_bytes);
      s.packed = algorithm == conv_algorithm::dots ? p.source.depth() * p.columns()
                                                   : packed_elements<T>(v, p.source.depth(), p.columns());
      return s;
    case conv_algorithm::patches:
      std::construct_at(&s.patches, cut_patches(v, p));
      s.parts = s.patches.parts();
      if (s.parts == 0) return s;
      memory_of<T>(v, s.patches, nullptr, s.worker_bytes);
      s.packed = packed_elements<T>(v, p.source.depth(), p.columns());
      return s;
    case conv_algorithm::winograd_2x2:
    case conv_algorithm::winograd_4x4:
      std::construct_at(&s.winograd, cut_winograd(v, p, tile_of(algorithm, p.source.rows.taps.count)));
      s.parts = s.winograd.parts();
      memory_of(v, p, s.winograd, nullptr, s.worker_bytes);
      s.packed = ceil_div(p.columns(), kernels::panel_width<T>(v)) * s.winograd.u_panel;
      return s;
    case conv_algorithm::automatic:
    case conv_algorithm::exact:
    case conv_algorithm::winograd:
    default:
      s.gemm = &planned;
      s.parts = 1, s.worker_bytes = planned.workspace_bytes();  // of all threads
      return s;
  }
}

/// Returns the work of products without rows of taps outside the image; a row of taps has `tap_row` elements, including
/// padding.
template <class T>
[[nodiscard]] work executed_in_rows(const conv_product<T>& p, index_t tap_row, index_t columns) noexcept {
  const kernels::tap_grid& rows = p.source.rows;
  index_t taps = 0;
  for (index_t r = 0; r < rows.results;) {
    const kernels::alike_rows some = kernels::rows_alike(rows, r, rows.results);
    taps += some.count * (some.last_tap - some.first_tap), r += some.count;
  }
  return products_of(p.source.images * p.source.columns.results * taps, tap_row * columns);
}
/// Returns the work that a product executes: full registers, and the filter transform unless the filter is constant.
template <class T>
[[nodiscard]] work executed(kernels::vector_unit v, const conv_schedule& s, const conv_product<T>& p,
                            filter_is filter) noexcept {
  const index_t lanes = v.lanes<T>(), channels = p.source.channels, width = round_up(p.columns(), lanes);
  switch (s.algorithm) {
    case conv_algorithm::segments:
    case conv_algorithm::joined:
      return executed_in_rows(p, p.source.columns.taps.count * channels, width);
    case conv_algorithm::dots: {
      const kernels::segment_rows<T> lines = kernels::window_segments<T>(p.source).rows(v);
      return executed_in_rows(p, lines.per_tap_row * round_up(lines.length, lanes), p.columns());
    }
    case conv_algorithm::winograd_2x2:
    case conv_algorithm::winograd_4x4: {
      const kernels::winograd::tile_shape& tile = tile_of(s.algorithm, p.source.rows.taps.count);
      const index_t count = s.winograd.count, panels = round_up(p.columns(), kernels::panel_width<T>(v));
      const std::uint64_t products = 2 * times(tile.points * count * channels, width);
      const std::uint64_t transforms = times(tile.input_flop * count, round_up(channels, lanes)) +
                                       times(tile.output_flop * count, width) +
                                       (filter == filter_is::constant ? 0 : times(tile.filter_flop * channels, panels));
      return {.flop = products + transforms, .matrix_flop = products};
    }
    case conv_algorithm::automatic:
    case conv_algorithm::exact:
    case conv_algorithm::patches:
    case conv_algorithm::winograd:
    default:
      return products_of(p.source.pixels(), p.source.depth() * width);
  }
}

/// A product of a pass.
template <class T>
struct conv_step {
  conv_product<T> product;
  conv_schedule schedule;
  spatial phase;       // of an image gradient
  index_t joined = 0;  // pixels computed as one; 0: not joined
};

/// Packs, or transforms, the filter of a step.
template <cpu_backend On, class T>
void pack(const On& on, const conv_pass<T>& a, const conv_step<T>& step, T* to) {
  const conv_product<T>& p = step.product;
  const conv_schedule& s = step.schedule;
  if (s.packed == 0) return;
  if (step.joined > 0)
    return on.template call<kernels::pack_joined_filter<T>>(product_of(a, 0, step.phase), line_of(a), step.joined, to);
  if (s.algorithm == conv_algorithm::dots)
    return ridgepoint::for_parts(on, p.columns(), [&](index_t begin, index_t end) {
      on.template call<kernels::pack_filter_columns<T>>(p, begin, end, to);
    });
  const index_t nr = kernels::panel_width<T>(on.vectors()), panel_elements = p.source.depth() * nr;
  parallel_for(on.thread_count(), ceil_div(p.columns(), nr), [&](index_t panel) {
    if constexpr (winograd_element<T>)
      if (is_winograd(s.algorithm))
        return on.template call<kernels::winograd_filter_panel<T>>(p, s.winograd, panel,
                                                                   to + panel * s.winograd.u_panel);
    on.template call<kernels::pack_filter_panel<T>>(p, panel, to + panel * panel_elements);
  });
}

/// Writes the results of pixels that no tap reaches.
template <class T>
void clear_results(const conv_product<T>& p) noexcept {
  for (index_t n = 0; n < p.source.images; ++n)
    for (index_t r = 0; r < p.source.rows.results; ++r) {
      const matrix_view<T> row = p.row_results(n, r);
      for (index_t i = 0; i < row.rows; ++i) std::fill_n(&row(i, 0), row.cols, T(0));
    }
}
/// The parts of a product, each run in its worker's memory.
template <cpu_backend On, class T>
struct product_parts {
  const On& on;
  const conv_product<T>& p;
  const conv_schedule& s;
  const T* filter;
  std::byte* workers;

  void operator()(index_t part, index_t worker) const {
    const kernels::vector_unit v = on.vectors();
    std::byte* const memory = workers + static_cast<std::size_t>(worker) * s.worker_bytes;
    std::size_t bytes = 0;
    switch (s.algorithm) {
      case conv_algorithm::patches: {
        const patches_memory<T> of = memory_of<T>(v, s.patches, memory, bytes);
        return on.template call<kernels::conv2d_patches<T>>(p, s.patches, filter, part, of.patches, of.packed_a);
      }
      case conv_algorithm::winograd_2x2:
      case conv_algorithm::winograd_4x4:
        if constexpr (winograd_element<T>)
          on.template call<kernels::conv2d_winograd<T>>(p, s.winograd, filter, part,
                                                        memory_of(v, p, s.winograd, memory, bytes));
        return;
      case conv_algorithm::dots:
        return on.template call<kernels::conv2d_dots<T>>(p, s.segments, filter, part,
                                                         memory_of(v, p, s.segments, memory, bytes));
      case conv_algorithm::automatic:
      case conv_algorithm::exact:
      case conv_algorithm::segments:
      case conv_algorithm::joined:
      case conv_algorithm::winograd:
      default:
        on.template call<kernels::conv2d_segments<T>>(p, s.segments, filter, part,
                                                      memory_of(v, p, s.segments, memory, bytes));
    }
  }
};
/// Runs a step. Requires: the output of pack() at `filter`; worker_bytes for every thread at `workers`.
template <cpu_backend On, class T>
void run(const On& on, const conv_step<T>& step, const T* filter, std::byte* workers) {
  const conv_product<T>& p = step.product;
  const conv_schedule& s = step.schedule;
  if (s.algorithm == conv_algorithm::exact) return detail::run(on, *s.gemm, p.plain(), workers);
  if (p.source.depth() == 0) return clear_results(p);
  if (step.joined == 0 || p.options.bias == nullptr)
    return parallel_for(on.thread_count(), s.parts, product_parts<On, T>{on, p, s, filter, workers});
  std::array<T, most_joined_columns<T>> bias{};
  const index_t columns = p.columns() / step.joined;
  for (index_t i = 0; i < step.joined; ++i) std::copy_n(p.options.bias.data, columns, bias.data() + i * columns);
  conv_product<T> of_joined = p;
  of_joined.options.bias = bias.data();
  parallel_for(on.thread_count(), s.parts, product_parts<On, T>{on, of_joined, s, filter, workers});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
