// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/elementwise.hpp>
#include <ridgepoint/cpu/gemm_schedule.hpp>
#include <ridgepoint/cpu/past_caches.hpp>
#include <ridgepoint/kernels/conv/depthwise_kernels.hpp>
#include <ridgepoint/kernels/map/elementwise_kernels.hpp>
#include <ridgepoint/kernels/window/taps.hpp>
#include <ridgepoint/ops/depthwise_conv2d.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// Returns `elements` of T that belong to the calling thread until its next depthwise convolution.
template <class T>
[[nodiscard]] T* depthwise_scratch(index_t elements) {
  struct spread_rows;
  return thread_scratch_of<spread_rows, T>(elements);
}
template <class T>
[[nodiscard]] kernels::depthwise_tiles tiles_of(const depthwise_conv2d_backward_weights_args<T>& a) noexcept {
  return kernels::depthwise_tiles::of(a.geometry, gemm_host_caches().l1, sizeof(T));
}
}  // namespace detail

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const depthwise_conv2d_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  const index_t f = g.f();
  const bool finite = on.template call<kernels::all_finite<T>>(a.w, g.filter_size());
  const auto outside = finite ? kernels::padding::adds_nothing : kernels::padding::is_multiplied;
  const kernels::stores how = detail::stores_of_tiles(on.vectors(), g.input_size() + g.output_size(), a.y, f, f);
  for_row_parts(on, g.n * g.oh(), (std::max)(g.ow(), g.w) * f, [&](index_t begin, index_t end) {
    T* const memory = g.multiplier > 1 ? detail::depthwise_scratch<T>(g.kh * g.w * f) : nullptr;
    on.template call<kernels::depthwise_rows<T>>(a, outside, how, memory, begin, end);
  });
}
template <std::floating_point T>
type_list<kernels::all_finite<T>, kernels::depthwise_rows<T>> kernels_of(const depthwise_conv2d_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const depthwise_conv2d_backward_data_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  const index_t f = g.f();
  const kernels::stores how = detail::stores_of_tiles(on.vectors(), g.input_size() + g.output_size(), a.dx, f, f);
  for_row_parts(on, g.n * g.h, (std::max)(g.ow(), g.w) * f, [&](index_t begin, index_t end) {
    T* const memory = g.multiplier > 1 ? detail::depthwise_scratch<T>(g.w * f) : nullptr;
    on.template call<kernels::depthwise_backward_data_rows<T>>(a, how, memory, begin, end);
  });
}
template <std::floating_point T>
type_list<kernels::depthwise_backward_data_rows<T>> kernels_of(const depthwise_conv2d_backward_data_args<T>&);

/// Splits rows of outputs into at most 64 parts with separate gradients, added in the order of the parts.
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const depthwise_conv2d_backward_weights_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  const index_t oh = g.oh(), ow = g.ow(), f = g.f(), all = g.n * oh, filter = g.filter_size(), sums = filter + f;
  constexpr index_t least = 65536, least_pixels = 256, most_parts = 64;  // so that the sums of a part cost little
  index_t part_rows = (std::max)({ceil_div(least, ow * f), ceil_div(least_pixels, ow), ceil_div(all, most_parts)});
  if (part_rows > oh) part_rows = round_up(part_rows, oh);
  const index_t parts = ceil_div(all, part_rows);
  const kernels::depthwise_tiles tiles = detail::tiles_of(a);
  struct partial_sums;
  if (parts == 0) {
    std::fill_n(a.dw, filter, T(0));
    if (a.db != nullptr) std::fill_n(a.db, f, T(0));
    return;
  }
  T* const partial = thread_scratch_of<partial_sums, T>(parts * sums);
  parallel_for(parts > 1 ? on.thread_count() : 1, parts, [&](index_t part) {
    T* const memory = detail::depthwise_scratch<T>(tiles.copied<T>());
    on.template call<kernels::depthwise_backward_weights_rows<T>>(
        a, tiles, memory, part * part_rows, (std::min)(all, (part + 1) * part_rows), partial + part * sums);
  });
  on.template call<kernels::add_arrays<T>>(partial, parts, sums, a.dw, filter);
  if (a.db != nullptr) on.template call<kernels::add_arrays<T>>(partial + filter, parts, sums, a.db, f);
}
template <std::floating_point T>
type_list<kernels::depthwise_backward_weights_rows<T>, kernels::add_arrays<T>> kernels_of(
    const depthwise_conv2d_backward_weights_args<T>&);

/// A pass of depthwise_conv2d() and its info.
struct depthwise_prepared {
  preparation info;
};

namespace detail {
/// Counts the multiply-adds of one lane of a pass that skips taps without a source: of every computed pixel, also those
/// computed twice.
[[nodiscard]] inline index_t lane_macs(index_t n, const kernels::window_walk& rows, index_t row_count,
                                       const kernels::window_walk& columns) {
  index_t down = 0, across = 0;
  for (index_t row = 0; row < row_count; ++row) down += rows.inside(row).count;
  if (const index_t padded = columns.padded_line().count; padded >= kernels::depthwise_pixels)
    across = kernels::depthwise_computed(padded) * 3 - 2;
  else
    columns.for_each_line(
        [&](const kernels::tap_line& line) { across += kernels::depthwise_computed(line.count) * line.taps.count; });
  return n * down * across;
}
template <class T>
[[nodiscard]] index_t lane_macs(const depthwise_conv2d_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  using kernels::window_walk;
  return lane_macs(g.n, window_walk::over_outputs(g.rows()), g.oh(), window_walk::over_outputs(g.columns()));
}
template <class T>
[[nodiscard]] index_t lane_macs(const depthwise_conv2d_backward_data_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  using kernels::window_walk;
  return lane_macs(g.n, window_walk::over_inputs(g.rows()), g.h, window_walk::over_inputs(g.columns()));
}
/// Counts multiply-adds including those with padding zeros.
template <class T>
[[nodiscard]] index_t lane_macs(const depthwise_conv2d_backward_weights_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  return g.n * g.oh() * g.ow() * g.kh * g.kw;
}
/// Returns how a pass accesses a channel of x for each of its filters.
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
  return tiles_of(a).copies ? "copied" : "in place";
}
}  // namespace detail

/// depthwise_conv2d() and its passes.
template <class Args>
concept depthwise_convolution_pass = requires(const Args& a) {
  detail::depthwise_algorithm(a);
};

/// Describes the algorithm of a depthwise_conv2d() pass: channels of images "in place"; if a channel has several
/// filters, rows of x "spread" to the channels of all, or rows of dx "folded"; filter gradients with tiles of x that
/// are "copied", if pixels would collide in L1 or a copy costs less. Taps on the padding are executed only for filter
/// gradients, and in the forward pass of a non-finite filter, which is not counted.
template <cpu_backend On, template <class> class Args, std::floating_point T>
  requires depthwise_convolution_pass<Args<T>>
[[nodiscard]] depthwise_prepared prepare(const On& on, const Args<T>& a, const prepare_options& = {}) {
  const index_t macs = detail::lane_macs(a) * round_up(a.geometry.f(), on.vectors().template lanes<T>());
  depthwise_prepared made;
  made.info.algorithm = detail::depthwise_algorithm(a);
  work& executed = made.info.executed = receipt(a);
  executed.flop -= executed.matrix_flop;
  executed.matrix_flop = 2 * static_cast<std::uint64_t>(macs);
  executed.flop += executed.matrix_flop;
  return made;
}
template <cpu_backend On, depthwise_convolution_pass Args>
void make_constants(const On&, const depthwise_prepared&, const Args&, void*) {}
template <cpu_backend On, depthwise_convolution_pass Args>
void execute(const On& on, const depthwise_prepared&, const Args& a, const call_memory&) {
  execute(on, a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
