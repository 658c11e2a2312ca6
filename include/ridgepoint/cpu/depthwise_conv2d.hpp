// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/cpu/conv2d_chunks.hpp>
#include <ridgepoint/cpu/image_rows.hpp>
#include <ridgepoint/cpu/past_caches.hpp>
#include <ridgepoint/kernels/conv/depthwise.hpp>
#include <ridgepoint/kernels/conv/depthwise_weights.hpp>
#include <ridgepoint/ops/depthwise_conv2d.hpp>
#include <ridgepoint/ops/prepare.hpp>

/// A channel with several filters is several channels of equal values: rows of x are spread to f channels as they are
/// needed, rows of dx folded.
namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// `elements` of T that belong to the calling thread until its next depthwise convolution.
template <class T>
[[nodiscard]] T* depthwise_scratch(index_t elements) {
  struct spread_rows;
  return thread_scratch_of<spread_rows, T>(elements);
}

/// body(first, end) for parts of all rows of all images, in parallel.
template <class Body>
void for_output_rows(const native_cpu& on, index_t rows, index_t part_rows, const Body& body) {
  const index_t parts = ceil_div(rows, part_rows);
  parallel_for(parts > 1 ? on.thread_count() : 1, parts,
               [&](index_t part) { body(part * part_rows, std::min(rows, (part + 1) * part_rows), part); });
}

/// How the gradient for depthwise filters is cut: outputs of an image in tiles, of whose inputs one line of channels
/// fills half of L1. Inputs are read where they lie if windows do not reach beyond the image, else in a copy.
template <class T>
struct depthwise_weights_schedule {
  using tile = kernels::depthwise_weights_tile<T>;
  struct range {
    index_t begin, end;
  };
  window_axis down, across;
  range inside_h, inside_w;  // outputs whose windows lie on the image
  index_t rows = 1;          // of outputs, at most
  bool copies;  // always: pixels fall into a few sets of L1, channels have several filters, or a tile is an image

  explicit depthwise_weights_schedule(const depthwise_geometry& g) noexcept
      : down(g.rows()),
        across(g.columns()),
        inside_h(inside(down)),
        inside_w(inside(across)),
        copies(g.multiplier > 1 || g.c * static_cast<index_t>(sizeof(T)) % 1024 == 0) {
    const index_t half = gemm_host_caches().l1 / 2 / static_cast<index_t>(sizeof(T));
    rows = std::max<index_t>(1, down.outputs());
    while (rows > 1 && elements(rows) > half) rows = ceil_div(rows, 2);
    const bool one_tile = rows >= down.outputs() && across.outputs() <= most_columns;
    copies = copies || (one_tile && down.stride == 1 && across.stride == 1);
  }
  /// Rows of outputs from `row` on, at most `most`, that make a tile.
  [[nodiscard]] index_t rows_at(index_t row, index_t most) const noexcept {
    const index_t end = copies ? down.outputs() : end_of(row, inside_h, down.outputs());
    return std::min({most, rows, end - row});
  }
  /// dw ← dw + those of `count` rows of outputs of an image.
  void add(const depthwise_conv2d_backward_weights_args<T>& a, index_t image, index_t row, index_t count, T* dw) const {
    const depthwise_geometry& g = a.geometry;
    const index_t f = g.f(), ow = across.outputs();
    const bool on_image = !copies && row >= inside_h.begin && row < inside_h.end;
    const T* const x = a.x + image * g.h * g.w * g.c;
    T* const copy = depthwise_scratch<T>(elements(rows));
    for (index_t column = 0; column < ow;) {
      const index_t end = on_image ? end_of(column, inside_w, ow) : ow;
      const spatial outputs{count, std::min(end - column, most_columns)};
      const spatial read{extent(down, outputs.h), extent(across, outputs.w)};
      const bool in_place = on_image && column >= inside_w.begin && column < inside_w.end;
      const T* const dy = a.dy + ((image * down.outputs() + row) * ow + column) * f;
      const index_t top = down.input(row, 0), left = across.input(column, 0);
      for (index_t c = 0; c < f; c += tile::width) {
        const index_t channels = std::min(tile::width, f - c), next = c + tile::width;
        const bool here = in_place && channels == tile::width;
        const index_t pixel = here ? f : tile::width, line = here ? g.w * f : read.w * tile::width;
        const T* const from = here ? x + (top * g.w + left) * f + c : copy;
        if (!here) kernels::copy_windows(x, down, across, top, left, read, g.c, g.multiplier, c, channels, copy);
        if (next < f) kernels::fetch_pixels(dy + next, outputs, ow * f, f);
        if (next < f && here) kernels::fetch_pixels(from + tile::width, read, line, pixel);
        const tile some{.taps = {g.kh, g.kw},
                        .outputs = outputs,
                        .apart = {down.dilation * line, across.dilation * pixel},
                        .step = {down.stride * line, across.stride * pixel},
                        .dy_row = ow * f,
                        .f = f};
        some.add_to(dw + c, from, dy + c, channels);
      }
      column += outputs.w;
    }
  }

 private:
  static constexpr index_t most_columns = 36;

  [[nodiscard]] static range inside(const window_axis& line) noexcept {
    const index_t outputs = line.outputs(), begin = std::min(outputs, ceil_div(line.before, line.stride)),
                  room = line.extent + line.before - line.reach();
    return {begin, room < 0 ? begin : std::clamp(room / line.stride + 1, begin, outputs)};
  }
  /// The end of the outputs, from one on, that lie as that does.
  [[nodiscard]] static index_t end_of(index_t output, range on_image, index_t outputs) noexcept {
    return output < on_image.begin ? on_image.begin : output < on_image.end ? on_image.end : outputs;
  }
  /// Inputs from the first window's to the last's.
  [[nodiscard]] static index_t extent(const window_axis& line, index_t outputs) noexcept {
    return (outputs - 1) * line.stride + line.reach();
  }
  [[nodiscard]] index_t elements(index_t output_rows) const noexcept {
    return extent(down, output_rows) * extent(across, std::min(most_columns, across.outputs())) * tile::width;
  }
};
}  // namespace detail

template <std::floating_point T>
void execute(const native_cpu& on, const depthwise_conv2d_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  using kernels::window_walk;
  const window_walk rows = window_walk::over_outputs(g.rows()), columns = window_walk::over_outputs(g.columns());
  const index_t oh = g.oh(), ow = g.ow(), f = g.f(), row = g.w * f;
  const bool finite = kernels::all_finite(a.w, g.filter_size());
  const kernels::depthwise_pass<T> pass{
      a.x,
      a.w,
      a.bias,
      a.y,
      f,
      g.kh * g.kw,
      finite ? kernels::padding::adds_nothing : kernels::padding::is_multiplied,
      detail::stores_of_tiles(on.vectors(), g.input_size() + g.output_size(), a.y, f, f)};
  for_image_rows(on, g.n, oh, std::max(ow, g.w) * f, [&](index_t image, index_t at) {
    kernels::window_taps taps{.rows = rows.inside(at), .image = image * g.h * g.w, .width = g.w, .taps_across = g.kw};
    kernels::depthwise_pass<T> here = pass;
    if (g.multiplier > 1) {
      T* const spread = detail::depthwise_scratch<T>(g.kh * row);
      for (index_t k = 0; k < taps.rows.count; ++k)
        kernels::spread_channels(a.x + (taps.image + (taps.rows.source + k * taps.rows.source_step) * g.w) * g.c,
                                 g.w * g.c, g.multiplier, spread + k * row);
      taps.image = taps.rows.source = 0;
      taps.rows.source_step = 1;
      here.from = spread;
    }
    columns.for_each_line([&](kernels::tap_line line) {
      line.first += (image * oh + at) * ow;
      here.line(taps, line);
    });
  });
}

template <std::floating_point T>
void execute(const native_cpu& on, const depthwise_conv2d_backward_data_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  using kernels::window_walk;
  const window_walk rows = window_walk::over_inputs(g.rows()), columns = window_walk::over_inputs(g.columns());
  const index_t outputs = g.oh() * g.ow(), f = g.f();
  const kernels::stores writes = detail::stores_of_tiles(on.vectors(), g.input_size() + g.output_size(), a.dx, f, f);
  for_image_rows(on, g.n, g.h, std::max(g.ow(), g.w) * f, [&](index_t image, index_t at) {
    const kernels::window_taps taps{
        .rows = rows.inside(at), .image = image * outputs, .width = g.ow(), .taps_across = g.kw};
    T* const dx = a.dx + (image * g.h + at) * g.w * g.c;
    T* const to = g.multiplier > 1 ? detail::depthwise_scratch<T>(g.w * f) : dx;
    const kernels::depthwise_pass<T> pass{a.dy,
                                          a.w,
                                          nullptr,
                                          to,
                                          f,
                                          g.kh * g.kw,
                                          kernels::padding::adds_nothing,
                                          to == dx ? writes : kernels::stores::cached};
    columns.for_each_line([&](const kernels::tap_line& line) { pass.line(taps, line); });
    if (g.multiplier > 1) kernels::fold_channels(to, g.w * g.c, g.multiplier, dx);
  });
}

/// Rows of outputs in at most 64 parts, each with gradients of its own, which are added in the order of the parts.
template <std::floating_point T>
void execute(const native_cpu& on, const depthwise_conv2d_backward_weights_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  const index_t oh = g.oh(), ow = g.ow(), f = g.f(), all = g.n * oh, sums = g.filter_size() + f;
  constexpr index_t least = 65536, least_pixels = 256, most_parts = 64;  // the sums of a part are little beside it
  index_t part_rows = std::max({ceil_div(least, ow * f), ceil_div(least_pixels, ow), ceil_div(all, most_parts)});
  if (part_rows > oh) part_rows = round_up(part_rows, oh);
  const index_t parts = ceil_div(all, part_rows);
  const detail::depthwise_weights_schedule<T> tiles(g);
  struct partial_sums;
  T* const partial = thread_scratch_of<partial_sums, T>(parts * sums);
  detail::for_output_rows(on, all, part_rows, [&](index_t first, index_t end, index_t part) {
    T* const mine = partial + part * sums;
    std::fill_n(mine, sums, T(0));
    for (index_t i = first; i < end;) {
      const index_t row = i % oh, count = tiles.rows_at(row, end - i);
      tiles.add(a, i / oh, row, count, mine);
      i += count;
    }
    const matrix_view<const T> dy(a.dy + first * ow * f, (end - first) * ow, f);
    if (a.db != nullptr) detail::add_columns(dy, T(0), mine + g.filter_size());
  });
  const auto add_up = [&](const T* from, index_t count, T* to) {
    constexpr index_t lanes = simd::lanes<T>;
    for (index_t i = 0; i < count; i += lanes) {
      const kernels::first_lanes some{std::min(lanes, count - i)};
      simd::batch<T> sum(T(0));
      for (index_t part = 0; part < parts; ++part) sum = sum + some.load(from + part * sums + i);
      some.store(to + i, sum);
    }
  };
  add_up(partial, g.filter_size(), a.dw);
  if (a.db != nullptr) add_up(partial + g.filter_size(), f, a.db);
}

/// A pass of depthwise_conv2d() and what is told of it.
struct depthwise_prepared {
  preparation told;
};

namespace detail {
/// Multiply-adds of one lane of a pass that skips taps without a source: of every pixel that is computed, those that
/// are computed twice among them.
template <class T>
[[nodiscard]] index_t lane_macs(index_t n, const kernels::window_walk& rows, index_t row_count,
                                const kernels::window_walk& columns) {
  index_t down = 0, across = 0;
  for (index_t row = 0; row < row_count; ++row) down += rows.inside(row).count;
  columns.for_each_line([&](const kernels::tap_line& line) {
    across += kernels::depthwise_pass<T>::computed(line.count) * line.taps.count;
  });
  return n * down * across;
}
template <class T>
[[nodiscard]] index_t lane_macs(const depthwise_conv2d_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  using kernels::window_walk;
  return lane_macs<T>(g.n, window_walk::over_outputs(g.rows()), g.oh(), window_walk::over_outputs(g.columns()));
}
template <class T>
[[nodiscard]] index_t lane_macs(const depthwise_conv2d_backward_data_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  using kernels::window_walk;
  return lane_macs<T>(g.n, window_walk::over_inputs(g.rows()), g.h, window_walk::over_inputs(g.columns()));
}
/// Zeros beside the image are multiplied.
template <class T>
[[nodiscard]] index_t lane_macs(const depthwise_conv2d_backward_weights_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  return g.n * g.oh() * g.ow() * g.kh * g.kw;
}
/// Where a pass finds, or leaves, a channel of x for each of its filters.
template <class T>
[[nodiscard]] const char* depthwise_algorithm(const depthwise_conv2d_args<T>& a) noexcept {
  return a.geometry.multiplier > 1 ? "spread" : "in place";
}
template <class T>
[[nodiscard]] const char* depthwise_algorithm(const depthwise_conv2d_backward_data_args<T>& a) noexcept {
  return a.geometry.multiplier > 1 ? "folded" : "in place";
}
template <class T>
[[nodiscard]] const char* depthwise_algorithm(const depthwise_conv2d_backward_weights_args<T>& a) noexcept {
  return depthwise_weights_schedule<T>(a.geometry).copies ? "copied" : "in place";
}
}  // namespace detail

/// depthwise_conv2d() and its passes.
template <class Args>
concept depthwise_convolution_pass = requires(const Args& a) {
  detail::depthwise_algorithm(a);
};

/// Tells how a pass of depthwise_conv2d() is computed: channels of images "in place"; where a channel has several
/// filters, rows of x "spread" to the channels of all, or those of dx "folded"; gradients for filters with tiles of x
/// that are "copied", where pixels would collide in L1 or a copy has less to do. Taps on the padding are executed only
/// for filters' gradients, and in the forward pass of a filter that is not finite, which is not counted.
template <template <class> class Args, std::floating_point T>
  requires depthwise_convolution_pass<Args<T>>
[[nodiscard]] depthwise_prepared prepare(const native_cpu&, const Args<T>& a, const prepare_options& = {}) {
  const index_t macs = detail::lane_macs(a) * round_up(a.geometry.f(), simd::lanes<T>);
  depthwise_prepared made;
  made.told.algorithm = detail::depthwise_algorithm(a);
  work& executed = made.told.executed = receipt(a);
  executed.flop -= executed.matrix_flop;
  executed.matrix_flop = 2 * static_cast<std::uint64_t>(macs);
  executed.flop += executed.matrix_flop;
  return made;
}
template <depthwise_convolution_pass Args>
void make_constants(const native_cpu&, const depthwise_prepared&, const Args&, void*) {}
template <depthwise_convolution_pass Args>
void execute(const native_cpu& on, const depthwise_prepared&, const Args& a, const call_memory&) {
  execute(on, a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
