// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <ridgepoint/kernels/pool/average.hpp>
#include <ridgepoint/kernels/pool/max.hpp>
#include <ridgepoint/kernels/pool/pool_kernels.hpp>
#include <ridgepoint/kernels/pool/windows.hpp>
#include <ridgepoint/ops/pool2d_geometry.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

namespace detail {

/// Runs formula for all channels of output rows [begin, end) of all images.
template <class T, class Formula>
void pool_outputs(const pool2d_geometry& g, const Formula& formula, index_t begin, index_t end) noexcept {
  const pool_row row{
      window_walk::over_outputs(g.rows()), window_walk::over_outputs(g.columns()), g.ow(), g.w, g.kw, g.c};
  const index_t oh = g.oh(), outputs = oh * g.ow(), inputs = g.h * g.w;
  for (index_t i = begin; i < end; ++i) row.run<T>(formula, i / oh * outputs, i / oh * inputs, i % oh);
}
/// Runs formula for all channels of input rows [begin, end) of all images.
template <class T, class Formula>
void pool_inputs(const pool2d_geometry& g, const Formula& formula, index_t begin, index_t end) noexcept {
  const pool_row row{window_walk::over_inputs(g.rows()), window_walk::over_inputs(g.columns()), g.w, g.ow(), g.kw, g.c};
  const index_t outputs = g.oh() * g.ow(), inputs = g.h * g.w;
  for (index_t i = begin; i < end; ++i) row.run<T>(formula, i / g.h * inputs, i / g.h * outputs, i % g.h);
}
/// Calls run<stores>() as `how` says, or for the caches if dx is not on the boundary of a register.
template <class T, class Run>
RIDGEPOINT_INLINE void with_stores_to(const T* dx, stores how, const Run& run) noexcept {
  const bool aligned = reinterpret_cast<std::uintptr_t>(dx) % sizeof(simd::batch<T>) == 0;
  if (how == stores::cached || !aligned) return run.template operator()<stores::cached>();
  run.template operator()<stores::streaming>();
  simd::end_stream();
}

}  // namespace detail

template <class T>
void max_pool2d_rows<T>::run(const max_pool2d_args<T>& a, index_t begin, index_t end) noexcept {
  const pool2d_geometry& g = a.geometry;
  if (a.index == nullptr) detail::pool_outputs<T>(g, max_window<T, false>{a.x, a.y, nullptr, g.c}, begin, end);
  else detail::pool_outputs<T>(g, max_window<T, true>{a.x, a.y, a.index, g.c}, begin, end);
}
template <class T>
void max_pool2d_backward_rows<T>::run(const max_pool2d_backward_args<T>& a, index_t begin, index_t end) noexcept {
  detail::pool_inputs<T>(a.geometry, max_gradient<T>{a.dy, a.index, a.dx, a.geometry.c}, begin, end);
}
template <class T>
void max_pool2d_backward_tiles<T>::run(const max_pool2d_backward_args<T>& a, stores how, index_t begin,
                                       index_t end) noexcept {
  detail::with_stores_to(a.dx, how, [&]<stores Stores>() {
    const max_gradient_of_tiles<T, Stores> formula{a.dy, a.index, a.dx, a.geometry.c};
    detail::pool_outputs<T>(a.geometry, formula, begin, end);
  });
}

template <class T>
void avg_pool2d_rows<T>::run(const avg_pool2d_args<T>& a, index_t begin, index_t end) noexcept {
  const pool2d_geometry& g = a.geometry;
  const mean_count counted{a.over, g.kh, g.kw, g.h + g.padding.bottom, g.w + g.padding.right};
  detail::pool_outputs<T>(g, mean_window<T>{counted, a.x, a.y, g.c}, begin, end);
}
template <class T>
void avg_pool2d_backward_rows<T>::run(const avg_pool2d_backward_args<T>& a, const mean_shares<T>& by, index_t begin,
                                      index_t end) noexcept {
  detail::pool_inputs<T>(a.geometry, mean_gradient<T>{by.alike, a.dy, by.shares, a.dx, a.geometry.c}, begin, end);
}
template <class T>
void avg_pool2d_backward_tiles<T>::run(const avg_pool2d_backward_args<T>& a, T share, stores how, index_t begin,
                                       index_t end) noexcept {
  detail::with_stores_to(a.dx, how, [&]<stores Stores>() {
    const mean_gradient_of_tiles<T, Stores> formula{a.dy, share, a.dx, a.geometry.c};
    detail::pool_outputs<T>(a.geometry, formula, begin, end);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
