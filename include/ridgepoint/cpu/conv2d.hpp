// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>

#include <ridgepoint/cpu/conv2d_product.hpp>
#include <ridgepoint/cpu/conv2d_weights.hpp>
#include <ridgepoint/cpu/dense.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A pass of a convolution whose algorithm is chosen.
struct conv2d_prepared {
  preparation told;
  std::size_t packed_bytes = 0;  // of the filter in panels: the first of the workspace, or constant
};

namespace detail {

/// f(product) for each product that a pass consists of.
template <std::floating_point T, class F>
void for_products(const conv2d_args<T>& a, F&& f) {
  f(convolution_of(a));
}
template <std::floating_point T, class F>
void for_products(const conv2d_backward_data_args<T>& a, F&& f) {
  const spatial stride = a.geometry.stride;
  for (index_t h = 0; h < std::min(stride.h, a.geometry.h); ++h)
    for (index_t w = 0; w < std::min(stride.w, a.geometry.w); ++w) f(convolution_of(a, spatial(h, w)));
}

/// What products of patches execute: whole vectors of columns, and taps beside the image.
template <class T>
[[nodiscard]] std::uint64_t executed_flop(const conv_product<T>& p) noexcept {
  return 2 * static_cast<std::uint64_t>(p.source.pixels() * p.source.depth()) *
         static_cast<std::uint64_t>(round_up(p.columns(), simd::lanes<T>));
}

template <class T>
[[nodiscard]] gemm_args<T> plain_product(const conv2d_backward_weights_args<T>& a) noexcept {
  const conv2d_geometry& g = a.geometry;
  const index_t pixels = g.n * g.oh() * g.ow();
  return {.a = matrix_view<const T>(a.x, pixels, g.c).transposed(), .b = {a.dy, pixels, g.f}, .c = {a.dw, g.c, g.f}};
}

}  // namespace detail

/// Passes that are products of patches and a filter.
template <class Args>
concept convolution_pass = requires(const Args& a) {
  detail::for_products(a, [](const auto&) {});
};

namespace detail {
template <class Args>
using element_of = std::remove_const_t<std::remove_pointer_t<decltype(Args::w)>>;
}  // namespace detail

/// Chooses how a pass of conv2d() is computed: "product" of the image as it lies, where windows are single pixels, else
/// "patches": what windows read, gathered row by row and multiplied with the filter in panels. A filter in constant
/// memory is packed once.
template <convolution_pass Args>
[[nodiscard]] conv2d_prepared prepare(const native_cpu& on, const Args& a, const prepare_options& options = {}) {
  using T = detail::element_of<Args>;
  conv2d_prepared made;
  made.told.executed = receipt(a);
  made.told.executed.flop -= made.told.executed.matrix_flop;
  made.told.executed.matrix_flop = 0;
  made.told.algorithm = "product";
  std::size_t plain_bytes = 0, worker_bytes = 0;
  index_t parts = 1;
  detail::for_products(a, [&](const detail::conv_product<T>& p) {
    made.told.executed.matrix_flop += detail::executed_flop(p);
    if (p.is_plain()) {
      plain_bytes = detail::schedule(on, p.plain()).workspace_bytes();
      return;
    }
    const detail::patch_schedule<T> s(p);
    made.told.algorithm = "patches";
    made.packed_bytes += detail::piece_bytes<T>(s.packed);
    worker_bytes = std::max(worker_bytes, s.worker_bytes);
    if (s.pixels > 0) parts = std::max(parts, ceil_div(p.source.pixels(), s.pixels));
  });
  made.told.executed.flop += made.told.executed.matrix_flop;
  const bool constant = detail::overlap(a.w, 1, options.constant, static_cast<index_t>(options.constant_bytes));
  const auto workers = static_cast<std::size_t>(std::min<index_t>(on.thread_count(), parts));
  made.told.constant_bytes = constant ? made.packed_bytes : 0;
  made.told.workspace_bytes = std::max(plain_bytes, workers * worker_bytes + (constant ? 0 : made.packed_bytes));
  return made;
}
template <convolution_pass Args>
void make_constants(const native_cpu& on, const conv2d_prepared&, const Args& a, void* to) {
  using T = detail::element_of<Args>;
  T* packed = static_cast<T*>(to);
  detail::for_products(a, [&](const detail::conv_product<T>& p) {
    const detail::patch_schedule<T> s(p);
    if (p.is_plain() || s.packed == 0) return;
    detail::pack_filter(on, p, packed);
    packed += detail::piece_bytes<T>(s.packed) / sizeof(T);
  });
}
template <convolution_pass Args>
void execute(const native_cpu& on, const conv2d_prepared& made, const Args& a, const call_memory& memory) {
  using T = detail::element_of<Args>;
  auto* workers = static_cast<std::byte*>(memory.workspace);
  const T* packed = static_cast<const T*>(memory.constants);
  if (made.told.constant_bytes == 0) {
    make_constants(on, made, a, workers);
    packed = reinterpret_cast<const T*>(workers);
    workers += made.packed_bytes;
  }
  detail::for_products(a, [&](const detail::conv_product<T>& p) {
    if (p.is_plain()) return detail::run(on, detail::schedule(on, p.plain()), p.plain(), workers);
    const detail::patch_schedule<T> s(p);
    detail::run_patches(on, s, p, packed, workers);
    packed += detail::piece_bytes<T>(s.packed) / sizeof(T);
  });
}

/// Chooses how the gradient for the filter is computed: one "product", or of "patches" and dy.
template <std::floating_point T>
[[nodiscard]] conv2d_prepared prepare(const native_cpu& on, const conv2d_backward_weights_args<T>& a,
                                      const prepare_options& = {}) {
  const kernels::patches<T> p = detail::patches_of(a.geometry, a.x);
  conv2d_prepared made;
  made.told.executed = receipt(a);
  if (p.are_in_place()) {
    made.told.algorithm = "product";
    made.told.workspace_bytes = detail::schedule(on, detail::plain_product(a)).workspace_bytes();
    return made;
  }
  const detail::weights_schedule<T> s(p, a.geometry.f);
  made.told.algorithm = "patches";
  made.told.workspace_bytes = s.sums_bytes + static_cast<std::size_t>(on.thread_count()) * s.worker_bytes;
  return made;
}
template <std::floating_point T>
void make_constants(const native_cpu&, const conv2d_prepared&, const conv2d_backward_weights_args<T>&, void*) {}
template <std::floating_point T>
void execute(const native_cpu& on, const conv2d_prepared&, const conv2d_backward_weights_args<T>& a,
             const call_memory& memory) {
  const kernels::patches<T> p = detail::patches_of(a.geometry, a.x);
  const index_t f = a.geometry.f;
  auto* const workspace = static_cast<std::byte*>(memory.workspace);
  if (p.are_in_place()) {
    const gemm_args<T> g = detail::plain_product(a);
    detail::run(on, detail::schedule(on, g), g, workspace);
  } else {
    const detail::weights_schedule<T> s(p, f);
    detail::run_weights(on, s, p, a.dy, f, a.dw, workspace, workspace + s.sums_bytes);
  }
  if (a.db != nullptr) detail::sum_columns(on, {a.dy, p.pixels(), f}, a.db);
}

namespace detail {
/// A pass in memory of the thread's own.
template <class Args>
void run_once(const native_cpu& on, const Args& a) {
  struct tag;
  const conv2d_prepared made = prepare(on, a);
  execute(on, made, a, {.workspace = thread_scratch<tag>(made.told.workspace_bytes), .constants = nullptr});
}
}  // namespace detail

template <convolution_pass Args>
void execute(const native_cpu& on, const Args& a) {
  detail::run_once(on, a);
}
template <std::floating_point T>
void execute(const native_cpu& on, const conv2d_backward_weights_args<T>& a) {
  detail::run_once(on, a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
