// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/image_rows.hpp>
#include <ridgepoint/cpu/past_caches.hpp>
#include <ridgepoint/kernels/pool/windows.hpp>
#include <ridgepoint/kernels/stores.hpp>
#include <ridgepoint/ops/pool2d_geometry.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// formula (kernels/pool/windows.hpp) for every output of a pooling; Stores is how it writes.
template <class T, kernels::stores Stores = kernels::stores::cached, class Formula>
void pool_outputs(const native_cpu& on, const pool2d_geometry& g, const Formula& formula) noexcept {
  using kernels::window_walk;
  const kernels::pool_row row{
      window_walk::over_outputs(g.rows()), window_walk::over_outputs(g.columns()), g.ow(), g.w, g.kw, g.c};
  const index_t oh = g.oh(), outputs = oh * g.ow(), inputs = g.h * g.w;
  for_image_rows(on, g.n, oh, std::max(g.ow(), g.w * std::min(g.kh, g.stride.h)) * g.c, [&](index_t image, index_t at) {
    row.run<T>(formula, image * outputs, image * inputs, at);
    if constexpr (Stores == kernels::stores::streaming) simd::end_stream();
  });
}
/// The same for every input: the gradient.
template <class T, class Formula>
void pool_inputs(const native_cpu& on, const pool2d_geometry& g, const Formula& formula) noexcept {
  using kernels::window_walk;
  const kernels::pool_row row{
      window_walk::over_inputs(g.rows()), window_walk::over_inputs(g.columns()), g.w, g.ow(), g.kw, g.c};
  const index_t outputs = g.oh() * g.ow(), inputs = g.h * g.w;
  for_image_rows(on, g.n, g.h, g.w * g.c,
                 [&](index_t image, index_t at) { row.run<T>(formula, image * inputs, image * outputs, at); });
}

/// Whether each input is read by one output, and one only.
[[nodiscard]] constexpr bool read_once(const window_axis& a) noexcept {
  return (a.stride == a.taps || a.outputs() == 1) && a.inputs_read() == a.extent;
}
/// Whether windows tile the image, and channels fill a register.
template <class T>
[[nodiscard]] constexpr bool tile_the_image(const pool2d_geometry& g) noexcept {
  return read_once(g.rows()) && read_once(g.columns()) && g.c >= simd::lanes<T>;
}
/// dx by outputs, for windows that tile the image: make<stores>() is the formula. A dx that the caches can not hold is
/// written past them.
template <class T, class Make>
void pool_tiles(const native_cpu& on, const pool2d_geometry& g, const T* dx, const Make& make) noexcept {
  const auto run = [&]<kernels::stores Stores>() {
    pool_outputs<T, Stores>(on, g, make.template operator()<Stores>());
  };
  if (g.c % (2 * simd::lanes<T>) == 0) with_stores(static_cast<std::size_t>(g.input_size()) * sizeof(T), dx, run);
  else run.template operator()<kernels::stores::cached>();
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
