// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/cpu/image_rows.hpp>
#include <ridgepoint/kernels/conv/depthwise.hpp>
#include <ridgepoint/kernels/conv/depthwise_weights.hpp>
#include <ridgepoint/ops/depthwise_conv2d.hpp>

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

}  // namespace detail

template <std::floating_point T>
void execute(const native_cpu& on, const depthwise_conv2d_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  using kernels::window_walk;
  const window_walk rows = window_walk::over_outputs(g.rows()), columns = window_walk::over_outputs(g.columns());
  const index_t oh = g.oh(), ow = g.ow(), f = g.f(), row = g.w * f;
  const bool finite = kernels::all_finite(a.w, g.filter_size());
  const kernels::depthwise_pass<T> pass{
      a.x, a.w, a.bias, a.y, f, g.kh * g.kw, finite ? kernels::padding::adds_nothing : kernels::padding::is_multiplied};
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
  for_image_rows(on, g.n, g.h, std::max(g.ow(), g.w) * f, [&](index_t image, index_t at) {
    const kernels::window_taps taps{
        .rows = rows.inside(at), .image = image * outputs, .width = g.ow(), .taps_across = g.kw};
    T* const dx = a.dx + (image * g.h + at) * g.w * g.c;
    T* const to = g.multiplier > 1 ? detail::depthwise_scratch<T>(g.w * f) : dx;
    const kernels::depthwise_pass<T> pass{a.dy, a.w, nullptr, to, f, g.kh * g.kw, kernels::padding::adds_nothing};
    columns.for_each_line([&](const kernels::tap_line& line) { pass.line(taps, line); });
    if (g.multiplier > 1) kernels::fold_channels(to, g.w * g.c, g.multiplier, dx);
  });
}

/// Rows of outputs in at most 64 parts, each with gradients of its own, which are added in the order of the parts.
template <std::floating_point T>
void execute(const native_cpu& on, const depthwise_conv2d_backward_weights_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  const window_axis rows = g.rows();
  const index_t oh = g.oh(), ow = g.ow(), f = g.f(), all = g.n * oh, sums = g.filter_size() + f;
  constexpr index_t least = 65536, least_pixels = 256, most_parts = 64;  // the sums of a part are little beside it
  const index_t part_rows = std::max({ceil_div(least, ow * f), ceil_div(least_pixels, ow), ceil_div(all, most_parts)});
  const index_t parts = ceil_div(all, part_rows);
  struct partial_sums;
  T* const partial = thread_scratch_of<partial_sums, T>(parts * sums);
  detail::for_output_rows(on, all, part_rows, [&](index_t first, index_t end, index_t part) {
    T* const mine = partial + part * sums;
    std::fill_n(mine, sums, T(0));
    T* const spread = g.multiplier > 1 ? detail::depthwise_scratch<T>(g.w * f) : nullptr;
    for (index_t i = first; i < end; ++i) {
      kernels::depthwise_weights_row<T> row{g.columns(), nullptr, a.dy + i * ow * f, f};
      for (index_t tap = 0; tap < g.kh; ++tap) {
        const index_t h = rows.input(i % oh, tap);
        const T* const x = rows.inside(h) ? a.x + (i / oh * g.h + h) * g.w * g.c : nullptr;
        row.x = x;
        if (x != nullptr && g.multiplier > 1) {
          kernels::spread_channels(x, g.w * g.c, g.multiplier, spread);
          row.x = spread;
        }
        row.add_to(mine + tap * g.kw * f);
      }
      if (a.db != nullptr) row.add_to_bias(mine + g.filter_size());
    }
  });
  const auto total = [&](index_t at) {
    double sum = 0;
    for (index_t part = 0; part < parts; ++part) sum += static_cast<double>(partial[part * sums + at]);
    return static_cast<T>(sum);
  };
  for (index_t i = 0; i < g.filter_size(); ++i) a.dw[i] = total(i);
  for (index_t i = 0; a.db != nullptr && i < f; ++i) a.db[i] = total(g.filter_size() + i);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
