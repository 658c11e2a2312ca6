// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/cpu/conv2d_cuts.hpp>
#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/cpu/parts.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

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
template <cpu_backend On, class T>
void run_part(const On& on, const conv_product<T>& p, const conv_schedule& s, const T* filter, index_t part,
              std::byte* memory) {
  const kernels::vector_unit v = on.vectors();
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
template <cpu_backend On, class T>
void run_parts(const On& on, const conv_product<T>& p, const conv_schedule& s, const T* filter, std::byte* workers) {
  parallel_for(on.thread_count(), s.parts, [&](index_t part, index_t worker) {
    run_part(on, p, s, filter, part, workers + static_cast<std::size_t>(worker) * s.worker_bytes);
  });
}
/// Runs a step. Requires: the output of pack() at `filter`; worker_bytes for every thread at `workers`.
template <cpu_backend On, class T>
void run(const On& on, const conv_step<T>& step, const T* filter, std::byte* workers) {
  const conv_product<T>& p = step.product;
  const conv_schedule& s = step.schedule;
  if (s.algorithm == conv_algorithm::exact) return detail::run(on, *s.gemm, p.plain(), workers);
  if (p.source.depth() == 0) return clear_results(p);
  if (step.joined == 0 || p.options.bias == nullptr) return run_parts(on, p, s, filter, workers);
  std::array<T, most_joined_columns<T>> bias{};
  const index_t columns = p.columns() / step.joined;
  for (index_t i = 0; i < step.joined; ++i) std::copy_n(p.options.bias.data, columns, bias.data() + i * columns);
  conv_product<T> of_joined = p;
  of_joined.options.bias = bias.data();
  run_parts(on, of_joined, s, filter, workers);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
