// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/cacheable.hpp>
#include <ridgepoint/cpu/image_rows.hpp>
#include <ridgepoint/kernels/stores.hpp>
#include <ridgepoint/ops/pool2d_geometry.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// run(begin, end) for rows of the outputs of all images, in parallel, or of their inputs.
template <cpu_backend On, class Run>
void for_output_rows(const On& on, const pool2d_geometry& g, const Run& run) {
  for_row_parts(on, g.n * g.oh(), (std::max)(g.ow(), g.w * (std::min)(g.kh, g.stride.h)) * g.c, run);
}
template <cpu_backend On, class Run>
void for_input_rows(const On& on, const pool2d_geometry& g, const Run& run) {
  for_row_parts(on, g.n * g.h, g.w * g.c, run);
}

/// Whether one output, and no other, reads each input of this direction.
[[nodiscard]] constexpr bool read_once(const window_axis& a) noexcept {
  return (a.stride == a.taps || a.outputs() == 1) && a.inputs_read() == a.extent;
}
/// Whether windows tile the image, and its channels fill registers.
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
