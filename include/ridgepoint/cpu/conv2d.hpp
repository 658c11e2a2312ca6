// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>

#include <ridgepoint/cpu/conv2d_product.hpp>
#include <ridgepoint/cpu/conv2d_weights.hpp>
#include <ridgepoint/cpu/conv2d_winograd_weights.hpp>
#include <ridgepoint/cpu/dense.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A pass of a convolution whose algorithm is chosen.
struct conv2d_prepared {
  preparation told;
  std::size_t packed_bytes = 0;  // of the filter in panels: the first of the workspace, or constant
  bool winograd = false;
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

/// Chooses how a pass of conv2d() is computed: "product" of the image as it lies, where windows are single pixels;
/// "patches": what windows read, gathered row by row and multiplied with the filter in panels; or "winograd 4x4". A
/// filter in constant memory is packed, or transformed, once.
///
/// Winograd's results have an RMS error of 1.8 times that of direct summation in float from 64 channels on, 2.4 times
/// at 16; a NaN or an infinity in x spreads to all results of a tile that reads it.
/// Throws: unsupported where args tell to use an algorithm that can not.
template <convolution_pass Args>
[[nodiscard]] conv2d_prepared prepare(const native_cpu& on, const Args& a, const prepare_options& options = {}) {
  using T = detail::element_of<Args>;
  const bool constant = detail::overlap(a.w, 1, options.constant, static_cast<index_t>(options.constant_bytes));
  conv2d_prepared made;
  made.winograd = detail::takes_winograd(a);
  made.told.algorithm = made.winograd ? "winograd 4x4" : "product";
  work& executed = made.told.executed = receipt(a);
  executed.flop -= executed.matrix_flop;
  executed.matrix_flop = 0;
  std::size_t plain_bytes = 0, worker_bytes = 0;
  index_t parts = 1;
  const auto add = [&](const auto& schedule, const work& did) {
    executed.flop += did.flop, executed.matrix_flop += did.matrix_flop;
    made.packed_bytes += schedule.filter_bytes();
    worker_bytes = std::max(worker_bytes, schedule.worker_bytes);
    parts = std::max(parts, schedule.parts());
  };
  detail::for_products(a, [&](const detail::conv_product<T>& p) {
    if constexpr (detail::winograd_element<T>) {
      if (made.winograd) {
        const detail::winograd_schedule<T> s(p);
        return add(s, s.executed(constant ? 0 : 1));
      }
    }
    const std::uint64_t flop = detail::executed_flop(p);
    if (p.is_plain()) {
      plain_bytes = detail::schedule(on, p.plain()).workspace_bytes();
      executed.flop += flop, executed.matrix_flop += flop;
      return;
    }
    made.told.algorithm = "patches";
    add(detail::patch_schedule<T>(p), {.flop = flop, .matrix_flop = flop});
  });
  const auto workers = static_cast<std::size_t>(std::min<index_t>(on.thread_count(), parts));
  made.told.constant_bytes = constant ? made.packed_bytes : 0;
  made.told.workspace_bytes = std::max(plain_bytes, workers * worker_bytes + (constant ? 0 : made.packed_bytes));
  return made;
}
template <convolution_pass Args>
void make_constants(const native_cpu& on, const conv2d_prepared& made, const Args& a, void* to) {
  using T = detail::element_of<Args>;
  T* packed = static_cast<T*>(to);
  detail::for_products(a, [&](const detail::conv_product<T>& p) {
    if constexpr (detail::winograd_element<T>)
      if (made.winograd) return detail::transform_filter(on, detail::winograd_schedule<T>(p), p, packed);
    const detail::patch_schedule<T> s(p);
    if (p.is_plain() || s.packed == 0) return;
    detail::pack_filter(on, p, packed);
    packed += s.filter_bytes() / sizeof(T);
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
    if constexpr (detail::winograd_element<T>)
      if (made.winograd) return detail::run_winograd(on, detail::winograd_schedule<T>(p), p, packed, workers);
    if (p.is_plain()) return detail::run(on, detail::schedule(on, p.plain()), p.plain(), workers);
    const detail::patch_schedule<T> s(p);
    detail::run_patches(on, s, p, packed, workers);
    packed += s.filter_bytes() / sizeof(T);
  });
}

/// Chooses how the gradient for the filter is computed: one "product", of "patches" and dy, or "winograd 4x4".
/// Throws: unsupported where args tell to use an algorithm that can not.
template <std::floating_point T>
[[nodiscard]] conv2d_prepared prepare(const native_cpu& on, const conv2d_backward_weights_args<T>& a,
                                      const prepare_options& = {}) {
  const kernels::patches<T> p = detail::patches_of(a.geometry, a.x);
  conv2d_prepared made;
  made.winograd = detail::takes_winograd(a);
  work& executed = made.told.executed = receipt(a);
  const auto uses = [&](const char* algorithm, const auto& schedule) {
    const auto workers = static_cast<std::size_t>(std::min<index_t>(on.thread_count(), schedule.parts()));
    made.told.algorithm = algorithm;
    made.told.workspace_bytes = schedule.sums_bytes + workers * schedule.worker_bytes;
  };
  if constexpr (detail::winograd_element<T>) {
    if (made.winograd) {
      const detail::winograd_weights_schedule<T> s(p, a.dy, a.geometry.f);
      const work tiles = s.executed();
      executed.flop += tiles.flop - executed.matrix_flop;
      executed.matrix_flop = tiles.matrix_flop;
      uses("winograd 4x4", s);
      return made;
    }
  }
  if (p.are_in_place()) {
    made.told.algorithm = "product";
    made.told.workspace_bytes = detail::schedule(on, detail::plain_product(a)).workspace_bytes();
  } else {
    uses("patches", detail::weights_schedule<T>(p, a.geometry.f));
  }
  return made;
}
template <std::floating_point T>
void make_constants(const native_cpu&, const conv2d_prepared&, const conv2d_backward_weights_args<T>&, void*) {}
template <std::floating_point T>
void execute(const native_cpu& on, const conv2d_prepared& made, const conv2d_backward_weights_args<T>& a,
             const call_memory& memory) {
  const kernels::patches<T> p = detail::patches_of(a.geometry, a.x);
  const index_t f = a.geometry.f;
  auto* const workspace = static_cast<std::byte*>(memory.workspace);
  if (a.db != nullptr) detail::sum_columns(on, {a.dy, p.pixels(), f}, a.db);
  if constexpr (detail::winograd_element<T>) {
    if (made.winograd) {
      const detail::winograd_weights_schedule<T> s(p, a.dy, f);
      return detail::run_winograd_weights(on, s, a.dw, workspace, workspace + s.sums_bytes);
    }
  }
  if (p.are_in_place()) {
    const gemm_args<T> g = detail::plain_product(a);
    return detail::run(on, detail::schedule(on, g), g, workspace);
  }
  const detail::weights_schedule<T> s(p, f);
  detail::run_weights(on, s, p, a.dy, f, a.dw, workspace, workspace + s.sums_bytes);
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
