// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/elementwise.hpp>
#include <ridgepoint/cpu/past_caches.hpp>
#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/kernels/pool/pool_kernels.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>
#include <ridgepoint/ops/geometry.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Calls run(begin, end) for rows of the outputs of all images, in parallel, or of their inputs.
template <cpu_backend On, class Run>
void for_output_rows(const On& on, const pool2d_geometry& g, const Run& run) {
  for_row_parts(on, g.n * g.oh(), (std::max)(g.ow(), g.w * (std::min)(g.kh, g.stride.h)) * g.c, run);
}
template <cpu_backend On, class Run>
void for_input_rows(const On& on, const pool2d_geometry& g, const Run& run) {
  for_row_parts(on, g.n * g.h, g.w * g.c, run);
}

/// Returns true if exactly one output reads each input of this direction.
[[nodiscard]] constexpr bool read_once(const window_axis& a) noexcept {
  return (a.stride == a.taps || a.outputs() == 1) && a.inputs_read() == a.extent;
}
/// Returns true if windows tile the image, and its channels fill registers.
[[nodiscard]] constexpr bool tile_the_image(const pool2d_geometry& g, index_t lanes) noexcept {
  return read_once(g.rows()) && read_once(g.columns()) && g.c >= lanes;
}
/// Returns how to write dx of such windows: non-temporal if the caches cannot hold it and registers are in pairs.
template <class T>
[[nodiscard]] kernels::stores stores_of_window_tiles(const pool2d_geometry& g, index_t lanes) noexcept {
  const bool fits = static_cast<std::size_t>(g.input_size()) * sizeof(T) <= cacheable_bytes();
  return g.c % (2 * lanes) != 0 || fits ? kernels::stores::cached : kernels::stores::streaming;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const avg_pool2d_args<T>& a) {
  detail::for_output_rows(on, a.geometry, [&](index_t begin, index_t end) {
    on.template call<kernels::avg_pool2d_rows<T>>(a, begin, end);
  });
}
template <std::floating_point T>
type_list<kernels::avg_pool2d_rows<T>> kernels_of(const avg_pool2d_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const avg_pool2d_backward_args<T>& a) {
  const pool2d_geometry& g = a.geometry;
  const window_axis rows = g.rows(), columns = g.columns();
  const index_t oh = g.oh(), ow = g.ow(), lanes = on.vectors().template lanes<T>();
  struct shares_scratch;
  T* const shares = thread_scratch_of<shares_scratch, T>(oh * ow);
  const auto counted = [over = a.over](const window_axis& axis, index_t output) {
    return over == mean_over::image ? axis.taps_inside(output) : axis.taps_padded(output);
  };
  for (index_t i = 0; i < oh * ow; ++i)
    shares[i] = static_cast<T>(1.0 / static_cast<double>(counted(rows, i / ow) * counted(columns, i % ow)));
  const bool equal = std::all_of(shares, shares + oh * ow, [&](T share) { return exactly(share, shares[0]); });
  if (equal && detail::tile_the_image(g, lanes)) {
    const kernels::stores how = detail::stores_of_window_tiles<T>(g, lanes);
    return detail::for_output_rows(on, g, [&](index_t begin, index_t end) {
      on.template call<kernels::avg_pool2d_backward_tiles<T>>(a, shares[0], how, begin, end);
    });
  }
  const kernels::mean_shares<T> by{shares, equal};
  detail::for_input_rows(on, g, [&](index_t begin, index_t end) {
    on.template call<kernels::avg_pool2d_backward_rows<T>>(a, by, begin, end);
  });
}
template <std::floating_point T>
type_list<kernels::avg_pool2d_backward_rows<T>, kernels::avg_pool2d_backward_tiles<T>> kernels_of(
    const avg_pool2d_backward_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const max_pool2d_args<T>& a) {
  detail::for_output_rows(on, a.geometry, [&](index_t begin, index_t end) {
    on.template call<kernels::max_pool2d_rows<T>>(a, begin, end);
  });
}
template <std::floating_point T>
type_list<kernels::max_pool2d_rows<T>> kernels_of(const max_pool2d_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const max_pool2d_backward_args<T>& a) {
  const pool2d_geometry& g = a.geometry;
  const index_t lanes = on.vectors().template lanes<T>();
  if (!detail::tile_the_image(g, lanes))
    return detail::for_input_rows(on, g, [&](index_t begin, index_t end) {
      on.template call<kernels::max_pool2d_backward_rows<T>>(a, begin, end);
    });
  const kernels::stores how = detail::stores_of_window_tiles<T>(g, lanes);
  detail::for_output_rows(on, g, [&](index_t begin, index_t end) {
    on.template call<kernels::max_pool2d_backward_tiles<T>>(a, how, begin, end);
  });
}
template <std::floating_point T>
type_list<kernels::max_pool2d_backward_rows<T>, kernels::max_pool2d_backward_tiles<T>> kernels_of(
    const max_pool2d_backward_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
