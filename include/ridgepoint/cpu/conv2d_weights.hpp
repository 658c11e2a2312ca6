// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <memory>

#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/cpu/conv2d_schedule.hpp>
#include <ridgepoint/cpu/dense.hpp>
#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/conv/conv2d_weights_kernels.hpp>
#include <ridgepoint/kernels/map/elementwise_kernels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

using kernels::weights_product;

/// Returns the filter gradient of a group.
template <class T>
[[nodiscard]] weights_product<T> product_of(const conv2d_backward_weights_args<T>& a, index_t group) noexcept {
  const conv2d_geometry& g = a.geometry;
  const index_t first = group * g.group_f();
  return {patches_of(g, a.x, group), part_of(a.dy, first), g.group_f(), g.f, part_of(a.db, first)};
}
/// Returns the gradient of a filter with one tap as a GEMM on the image itself.
template <class T>
[[nodiscard]] gemm_args<T> plain_product(const weights_product<T>& p, T* dw) noexcept {
  const index_t pixels = p.source.pixels(), c = p.source.channels;
  return {.a = matrix_view<const T>(p.source.image, pixels, c, p.source.pixel).transposed(),
          .b = {p.dy, pixels, p.columns, p.dy_ld},
          .c = {dw, c, p.columns}};
}

/// Schedule of a filter gradient; exact: as a GEMM on the image itself. Plain data. Chunks depend only on the shape,
/// and so do the bits.
struct weights_schedule {
  conv_algorithm algorithm;
  index_t parts = 0;                              // run in parallel
  std::size_t sums_bytes = 0, worker_bytes = 0;   // of all chunks; of each thread
  kernels::chunked_sum chunks = {}, biases = {};  // biases: parts of the sums of dy
  union {
    const gemm_schedule* gemm;               // exact
    kernels::packed_weights_cut packed;      // patches
    kernels::weights_in_place_cut in_place;  // segments: vectors along the filters; dots: along the taps
    kernels::winograd_weights_cut winograd;
  };

  explicit weights_schedule(conv_algorithm by) noexcept : algorithm(by), gemm(nullptr) {}
};

/// Packed operands: window elements are packed tile by tile and multiplied with all panels of dy. If there are more
/// threads than chunks, elements and columns are split, too.
template <class T>
[[nodiscard]] kernels::packed_weights_cut cut_packed(kernels::vector_unit v, index_t threads,
                                                     const weights_product<T>& p) noexcept {
  constexpr index_t worth_a_chunk = 1 << 22;
  const kernels::window_rows<T> source(p.source);
  const index_t nr = kernels::panel_width<T>(v), mr = kernels::tile_rows(v), depth = p.source.depth(), f = p.columns;
  const index_t pixels = source.pixels, all = source.all, filter = depth * f;
  const index_t tiles = ceil_div(depth, mr) * ceil_div(f, nr), worth = std::max<index_t>(1024, worth_a_chunk / filter);
  kernels::packed_weights_cut s;
  s.chunks = kernels::chunked_sum::of<T>(all, filter, (std::min)(ceil_div(index_t{32}, tiles), all * pixels / worth));
  s.biases = s.chunks.template of_size<T>(f);
  if (all == 0) return s;
  if (threads > 1) {
    const index_t wanted = 4 * threads;
    s.column_parts = std::clamp<index_t>(wanted / s.chunks.chunks, 1, ceil_div(f, 2 * nr));
    s.element_parts = std::clamp<index_t>(wanted / (s.chunks.chunks * s.column_parts), 1, ceil_div(depth, 4 * mr));
  }
  s.columns = round_up(ceil_div(f, s.column_parts), nr), s.column_parts = ceil_div(f, s.columns);
  s.elements = round_up(ceil_div(depth, s.element_parts), mr), s.element_parts = ceil_div(depth, s.elements);
  s.rows = source.at_once(s.chunks.chunk, pixels * round_up(f, nr), gemm_host_caches().l2);  // on any thread
  s.band = source.copied(s.rows);
  const bool worth_it = f > v.lanes<T>() && f != nr && s.elements > 2 * mr, looks_packed = p.dy_ld == nr && f < nr;
  if (worth_it || looks_packed) s.panels = s.rows * pixels * s.columns;  // else dy is read in place
  s.tile = s.rows * pixels * (std::min)(mr, s.elements) * kernels::copies_of_a<T>(v) + v.lanes<T>();
  return s;
}
template <class T>
kernels::packed_weights_memory<T> memory_of(const kernels::packed_weights_cut& s, std::byte* memory,
                                            std::size_t& bytes) noexcept {
  kernels::packed_weights_memory<T> m{};
  m.copy = take_piece<T>(memory, bytes, s.band);
  m.packed_b = take_piece<T>(memory, bytes, s.panels);
  m.packed_a = take_piece<T>(memory, bytes, s.tile);
  m.line = take_piece<const T*>(memory, bytes, s.rows);
  return m;
}

/// Operands in place: dw ← windowsᵀ · dy, in tiles of some elements of a row of taps, for rows of few elements; or
/// dwᵀ ← dyᵀ · windows, transposed at the end, for few filters, which would waste most of a vector. Processes some rows
/// of a chunk at once, as many as L1 holds with their dy, or L2 if rows have few pixels. If there are more threads than
/// chunks, rows of taps are split, too.
template <class T>
[[nodiscard]] kernels::weights_in_place_cut cut_in_place(index_t threads, const weights_product<T>& p,
                                                         kernels::vectors_along along) noexcept {
  const kernels::window_rows<T> source(p.source);
  const index_t f = p.columns, filter = p.source.depth() * f, worth = std::max<index_t>(1024, (1 << 20) / filter);
  kernels::weights_in_place_cut s{.along = along};
  s.chunks = kernels::chunked_sum::of<T>(source.all, filter, source.all * source.pixels / worth);
  s.biases = s.chunks.template of_size<T>(f);
  if (source.all == 0) return s;
  if (threads > 1) s.parts_of_taps = std::clamp<index_t>(4 * threads / s.chunks.chunks, 1, p.source.rows.taps.count);
  s.rows = along == kernels::vectors_along::taps
               ? source.at_once(s.chunks.chunk, 0, gemm_host_caches().l2)
               : source.at_once(s.chunks.chunk, source.pixels * f, gemm_host_caches().l1);
  s.band = source.copied(s.rows);
  return s;
}
template <class T>
kernels::weights_in_place_memory<T> memory_of(const weights_product<T>& p, const kernels::weights_in_place_cut& s,
                                              std::byte* memory, std::size_t& bytes) noexcept {
  kernels::weights_in_place_memory<T> m{};
  if (s.along == kernels::vectors_along::taps)
    m.transposed = take_piece<T>(memory, bytes, p.source.depth() * p.columns);
  m.copy = take_piece<T>(memory, bytes, s.band);
  m.line = take_piece<const T*>(memory, bytes, s.rows);
  m.offsets = take_piece<index_t>(memory, bytes, s.rows);
  return m;
}

/// Winograd: chunks of tiles, each in parts whose V and D fit L2.
template <class T>
[[nodiscard]] kernels::winograd_weights_cut cut_winograd(kernels::vector_unit v, const weights_product<T>& p,
                                                         const kernels::winograd::tile_shape& tile) noexcept {
  namespace wg = kernels::winograd;
  constexpr index_t worth_a_chunk = 192;
  const index_t size = sizeof(T), lanes = v.lanes<T>(), channels = p.source.channels, f = p.columns,
                width = round_up(f, lanes), l2 = gemm_host_caches().l2,
                count = wg::tiles_of(p.source, tile.results, tile.edge).pixels();
  kernels::winograd_weights_cut s{.results = tile.results, .taps = tile.taps};
  s.chunks = kernels::chunked_sum::of<T>(count, tile.taps * tile.taps * channels * f, count / worth_a_chunk);
  s.v_ld = kernels::row_distance<T>(round_up(channels, lanes));
  s.m_plane = wg::plane_of<T>(channels * width);
  if (count > 0) {
    const index_t tile_bytes = tile.points * (s.v_ld + width) * size, sum_bytes = tile.points * s.m_plane * size;
    s.part = std::clamp<index_t>((l2 * 3 / 4 - sum_bytes) / tile_bytes, 32, 256);
    s.part = ceil_div(s.chunks.chunk, ceil_div(s.chunks.chunk, s.part));
  }
  s.v_plane = wg::plane_of<T>(s.part * s.v_ld);
  s.d_plane = wg::plane_of<T>(s.part * round_up(f, kernels::panel_width<T>(v)));
  return s;
}
template <class T>
kernels::winograd_memory<T> memory_of(kernels::vector_unit v, const weights_product<T>& p,
                                      const kernels::winograd_weights_cut& s, std::byte* memory,
                                      std::size_t& bytes) noexcept {
  namespace wg = kernels::winograd;
  const index_t edge = s.results + s.taps - 1, points = edge * edge;
  kernels::winograd_memory<T> m{};
  m.v = take_piece<T>(memory, bytes, points * s.v_plane);
  m.d = take_piece<T>(memory, bytes, points * s.d_plane);
  m.m = take_piece<T>(memory, bytes, points * s.m_plane);
  m.copy = take_piece<T>(
      memory, bytes,
      (std::max)(wg::copied_elements(v, wg::tiles_of(p.source, s.results, edge)),
                 wg::copied_elements(v, wg::result_tiles_of(p.source, s.results, p.dy, p.columns, p.dy_ld))));
  if (kernels::replicates_a<T>(v))
    m.packed_a =
        take_piece<T>(memory, bytes, p.source.channels * s.part * kernels::copies_of_a<T>(v) + 2 * v.lanes<T>());
  return m;
}

/// Schedules a filter gradient on `threads` threads; planned: the GEMM schedule if exact, which must outlive the
/// result.
template <class T>
[[nodiscard]] weights_schedule schedule_of(kernels::vector_unit v, index_t threads, const weights_product<T>& p,
                                           conv_algorithm algorithm, const gemm_schedule& planned) noexcept {
  weights_schedule s(algorithm);
  switch (algorithm) {
    case conv_algorithm::patches:
      std::construct_at(&s.packed, cut_packed(v, threads, p));
      s.parts = s.packed.parts(), s.chunks = s.packed.chunks, s.biases = s.packed.biases;
      if (s.parts > 0) memory_of<T>(s.packed, nullptr, s.worker_bytes);
      break;
    case conv_algorithm::segments:
    case conv_algorithm::dots: {
      using kernels::vectors_along;
      const auto along = algorithm == conv_algorithm::dots ? vectors_along::taps : vectors_along::filters;
      std::construct_at(&s.in_place, cut_in_place(threads, p, along));
      s.parts = s.in_place.parts(), s.chunks = s.in_place.chunks, s.biases = s.in_place.biases;
      if (s.parts > 0) memory_of(p, s.in_place, nullptr, s.worker_bytes);
      break;
    }
    case conv_algorithm::winograd_2x2:
    case conv_algorithm::winograd_4x4:
      std::construct_at(&s.winograd, cut_winograd(v, p, tile_of(algorithm, p.source.rows.taps.count)));
      s.chunks = s.winograd.chunks, s.parts = s.chunks.chunks;
      memory_of(v, p, s.winograd, nullptr, s.worker_bytes);
      break;
    case conv_algorithm::automatic:
    case conv_algorithm::exact:
    case conv_algorithm::joined:
    case conv_algorithm::winograd:
    default:
      s.gemm = &planned;
      s.parts = 1, s.worker_bytes = planned.workspace_bytes();  // of all threads
  }
  s.sums_bytes = s.chunks.bytes + s.biases.bytes;
  return s;
}

/// Returns the work that a gradient executes: full registers, including windows outside the image. Requires: not exact.
template <class T>
[[nodiscard]] work executed(kernels::vector_unit v, const weights_schedule& s, const weights_product<T>& p) noexcept {
  const kernels::window_rows<T> source(p.source);
  const index_t lanes = v.lanes<T>(), f = p.columns, channels = p.source.channels, width = round_up(f, lanes);
  if (is_winograd(s.algorithm)) {
    const kernels::winograd::tile_shape& tile = tile_of(s.algorithm, p.source.rows.taps.count);
    const index_t count = s.chunks.terms;
    const std::uint64_t products = 2 * times(tile.points * count * channels, width);
    const std::uint64_t transforms = times(tile.input_flop * count, round_up(channels, lanes)) +
                                     times(tile.gradient_flop * count, width) +
                                     times(tile.weights_flop * s.chunks.chunks * channels, width);
    return {.flop = products + transforms, .matrix_flop = products};
  }
  const bool along_taps = s.algorithm == conv_algorithm::dots;
  return products_of(source.all * source.pixels,
                     along_taps ? source.windows.registers(v) * lanes * f : p.source.depth() * width);
}

/// result ← the chunks' sums, added in order; zeros without chunks.
template <cpu_backend On, class T>
void finish(const On& on, const kernels::chunked_sum& s, T* result, const std::byte* sums) {
  if (s.chunks == 1) return;
  if (s.chunks == 0) return std::fill_n(result, s.size, T(0)), void();
  const T* const first = reinterpret_cast<const T*>(sums);
  ridgepoint::for_parts(on, s.size, [&](index_t begin, index_t end) {
    on.template call<kernels::add_arrays<T>>(first + begin, s.chunks, s.step, result + begin, end - begin);
  });
}
/// Runs a schedule: dw, and db if not null. Requires: worker_bytes for every thread at `workers`.
template <cpu_backend On, class T>
void run(const On& on, const weights_schedule& s, const weights_product<T>& p, T* dw, std::byte* sums,
         std::byte* workers) {
  const kernels::vector_unit v = on.vectors();
  const bool by_parts = s.algorithm == conv_algorithm::patches || s.algorithm == conv_algorithm::segments ||
                        s.algorithm == conv_algorithm::dots;  // also sums dy
  if (s.algorithm == conv_algorithm::exact) {
    detail::run(on, *s.gemm, plain_product(p, dw), workers);
  } else {
    parallel_for(on.thread_count(), s.parts, [&](index_t part, index_t worker) {
      std::byte* const memory = workers + static_cast<std::size_t>(worker) * s.worker_bytes;
      std::size_t bytes = 0;
      if constexpr (winograd_element<T>)
        if (is_winograd(s.algorithm))
          return on.template call<kernels::conv2d_winograd_weights<T>>(p, s.winograd, dw, sums, part,
                                                                       memory_of(v, p, s.winograd, memory, bytes));
      if (s.algorithm == conv_algorithm::patches)
        return on.template call<kernels::conv2d_packed_weights<T>>(p, s.packed, dw, sums, part,
                                                                   memory_of<T>(s.packed, memory, bytes));
      on.template call<kernels::conv2d_weights_in_place<T>>(p, s.in_place, dw, sums, part,
                                                            memory_of(p, s.in_place, memory, bytes));
    });
    finish(on, s.chunks, dw, sums);
  }
  if (p.db == nullptr) return;
  if (by_parts) finish(on, s.biases, p.db, sums + s.chunks.bytes);
  else sum_columns(on, p.gradients(0, p.source.pixels(), 0, p.columns), p.db);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
