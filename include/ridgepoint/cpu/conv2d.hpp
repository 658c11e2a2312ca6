// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <limits>

#include <ridgepoint/cpu/conv2d_cost.hpp>
#include <ridgepoint/cpu/conv2d_dots.hpp>
#include <ridgepoint/cpu/conv2d_patches.hpp>
#include <ridgepoint/cpu/conv2d_segments.hpp>
#include <ridgepoint/cpu/conv2d_weights.hpp>
#include <ridgepoint/cpu/conv2d_weights_turned.hpp>
#include <ridgepoint/cpu/conv2d_winograd_weights.hpp>
#include <ridgepoint/cpu/dense.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A pass of a convolution whose algorithm is chosen.
struct conv2d_prepared {
  preparation told;
  std::size_t packed_bytes = 0;  // of the filter as the algorithms read it: the first of the workspace, or constant
  detail::filter_is filter = detail::filter_is::given;
  std::array<conv_algorithm, 16> of_product = {};  // exact: of the image as it lies
  detail::gemm_schedule gemm = {};                 // of such a product
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

/// use(schedule) with the schedule of a product computed by an algorithm; planned: where that is exact.
template <class T, class Use>
void with_schedule(const native_cpu& on, const conv_product<T>& p, conv_algorithm algorithm,
                   const gemm_schedule& planned, Use&& use) {
  switch (algorithm) {
    case conv_algorithm::segments:
      return use(segment_schedule<T>(on, p));
    case conv_algorithm::patches:
      return use(patch_schedule<T>(p));
    case conv_algorithm::dots:
      return use(dot_schedule<T>(on, p));
    case conv_algorithm::winograd_2x2:
    case conv_algorithm::winograd_4x4:
      if constexpr (winograd_element<T>)
        return with_winograd_tile(algorithm, p.source.rows.taps.count,
                                  [&]<class Tile>(Tile) { use(winograd_schedule<T, Tile>(p)); });
      return;
    default:
      use(plain_schedule<T>(planned));
  }
}

/// Keeps the algorithm of least predicted cycles among those it is given.
struct cheapest_algorithm {
  conv_algorithm algorithm = conv_algorithm::patches;
  double cycles = std::numeric_limits<double>::infinity();
  void operator()(conv_algorithm candidate, double predicted) noexcept {
    if (predicted < cycles) algorithm = candidate, cycles = predicted;
  }
};

/// The algorithm of a product: the one it is told, or that of least predicted cycles.
template <class T>
[[nodiscard]] conv_algorithm algorithm_of(const native_cpu& on, const conv_product<T>& p, const conv2d_geometry& g,
                                          conv_algorithm told, filter_is filter) {
  if (told == conv_algorithm::winograd_2x2 || told == conv_algorithm::winograd_4x4) return told;
  const bool any = told == conv_algorithm::automatic || told == conv_algorithm::exact;
  if (told != conv_algorithm::winograd && p.is_plain()) return conv_algorithm::exact;
  if (!any && told != conv_algorithm::winograd) return told;
  cheapest_algorithm cheapest;
  const auto offer = [&](conv_algorithm algorithm) {
    with_schedule(on, p, algorithm, {}, [&](const auto& s) { cheapest(algorithm, cost::cycles(s, p, filter)); });
  };
  if (any) {
    offer(conv_algorithm::patches);
    // Constants are of AVX2 and AVX-512: with SSE4.2 only few columns, of rows of taps that fill registers, are dots.
    const index_t n = p.columns(), registers = kernels::window_segments<T>(p.source).registers();
    const bool few = n <= kernels::dot_columns && registers * (6 * n + 5) + 30 * n < 5 * p.source.depth();
    if (!kernels::replicates_a<T>) offer(conv_algorithm::segments);
    if (kernels::replicates_a<T> ? few : simd::lanes<T> != 1) offer(conv_algorithm::dots);
  }
  offer_winograd<T>(g, told, p.source.channels, offer);
  return cheapest.algorithm;
}

/// use(product, schedule) for each product of a pass that is prepared.
template <class Args, class Use>
void for_schedules(const native_cpu& on, const Args& a, const conv2d_prepared& made, Use&& use) {
  std::size_t number = 0;
  for_products(a, [&](const auto& p) {
    const conv_algorithm algorithm = number < made.of_product.size()
                                         ? made.of_product[number]
                                         : algorithm_of(on, p, a.geometry, a.algorithm, made.filter);
    ++number;
    with_schedule(on, p, algorithm, made.gemm, [&](const auto& s) { use(p, s); });
  });
}

}  // namespace detail

/// Passes that are products of what windows read, and a filter.
template <class Args>
concept convolution_pass = requires(const Args& a) {
  detail::for_products(a, [](const auto&) {});
};

namespace detail {
template <class Args>
using element_of = std::remove_const_t<std::remove_pointer_t<decltype(Args::w)>>;
}  // namespace detail

/// Chooses how a pass of conv2d() is computed, for which a filter in constant memory is packed, or transformed, once:
/// - "product" of the image as it lies, where windows are single pixels;
/// - "segments": windows multiplied where they lie, row of taps by row of taps, with the filter in panels;
/// - "patches": what windows read, gathered row by row, where rows of results are short or begin in one set of L1;
/// - "dots": dot products of windows where they lie, and columns of the filter, where there are few of these;
/// - "winograd 4x4" and "winograd 2x2" of float. The RMS error is at most twice that of direct summation (2.2 times
///   without FMA), at most the same of 2×2 results of 3×3 taps; a NaN or an infinity in x spreads to all results of a
///   tile that reads it.
///
/// Throws: unsupported where args tell to use an algorithm that can not.
template <convolution_pass Args>
[[nodiscard]] conv2d_prepared prepare(const native_cpu& on, const Args& a, const prepare_options& options = {}) {
  using T = detail::element_of<Args>;
  const bool constant = detail::overlap(a.w, 1, options.constant, static_cast<index_t>(options.constant_bytes));
  const auto filter = constant ? detail::filter_is::constant : detail::filter_is::given;
  detail::check_algorithm(a);
  conv2d_prepared made;
  made.filter = filter;
  std::size_t number = 0;
  detail::for_products(a, [&](const detail::conv_product<T>& p) {
    const conv_algorithm algorithm = detail::algorithm_of(on, p, a.geometry, a.algorithm, filter);
    if (algorithm == conv_algorithm::exact) made.gemm = detail::schedule(on, p.plain());
    if (number < made.of_product.size()) made.of_product[number++] = algorithm;
  });
  made.told.algorithm = "product";
  work& executed = made.told.executed = receipt(a);
  executed.flop -= executed.matrix_flop;
  executed.matrix_flop = 0;
  std::size_t workers_bytes = 0;
  detail::for_schedules(on, a, made, [&]<class Schedule>(const detail::conv_product<T>& p, const Schedule& s) {
    const work did = s.executed(p, filter);
    executed.flop += did.flop, executed.matrix_flop += did.matrix_flop;
    made.told.predicted_cycles += detail::cost::cycles(s, p, filter);
    if (s.packed > 0) made.told.algorithm = Schedule::algorithm;
    made.packed_bytes += detail::piece_bytes<T>(s.packed);
    const auto workers = static_cast<std::size_t>(std::min<index_t>(on.thread_count(), s.parts()));
    workers_bytes = std::max(workers_bytes, workers * s.worker_bytes);
  });
  made.told.constant_bytes = constant ? made.packed_bytes : 0;
  made.told.workspace_bytes = workers_bytes + (constant ? 0 : made.packed_bytes);
  return made;
}
template <convolution_pass Args>
void make_constants(const native_cpu& on, const conv2d_prepared& made, const Args& a, void* to) {
  using T = detail::element_of<Args>;
  T* packed = static_cast<T*>(to);
  detail::for_schedules(on, a, made, [&](const detail::conv_product<T>& p, const auto& s) {
    s.pack(on, p, packed);
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
  detail::for_schedules(on, a, made, [&](const detail::conv_product<T>& p, const auto& s) {
    s.run(on, p, packed, workers);
    packed += detail::piece_bytes<T>(s.packed) / sizeof(T);
  });
}

namespace detail {
/// use(schedule) with the schedule of the gradient for a filter by an algorithm; planned: where that is exact.
template <class T, class Use>
void with_schedule(const native_cpu& on, const conv2d_backward_weights_args<T>& a, conv_algorithm algorithm,
                   const gemm_schedule& planned, Use&& use) {
  const kernels::patches<T> p = patches_of(a.geometry, a.x);
  switch (algorithm) {
    case conv_algorithm::segments:
    case conv_algorithm::dots:
      return use(turned_weights_schedule<T>(on, p, a.geometry.f));
    case conv_algorithm::patches:
      return use(weights_schedule<T>(on, p, a.geometry.f));
    case conv_algorithm::winograd_2x2:
    case conv_algorithm::winograd_4x4:
      if constexpr (winograd_element<T>)
        return with_winograd_tile(algorithm, a.geometry.kh, [&]<class Tile>(Tile) {
          use(winograd_weights_schedule<T, Tile>(p, a.dy, a.geometry.f));
        });
      return;
    default:
      use(plain_weights_schedule<T>(a, planned));
  }
}
template <class T>
[[nodiscard]] conv_algorithm algorithm_of(const native_cpu& on, const conv2d_backward_weights_args<T>& a) {
  const conv2d_geometry& g = a.geometry;
  const conv_algorithm told = a.algorithm;
  if (told == conv_algorithm::winograd_2x2 || told == conv_algorithm::winograd_4x4) return told;
  const bool any = told == conv_algorithm::automatic || told == conv_algorithm::exact;
  if (told != conv_algorithm::winograd && patches_of(g, a.x).are_in_place()) return conv_algorithm::exact;
  if (!any && told != conv_algorithm::winograd) return told;
  cheapest_algorithm cheapest;
  const auto offer = [&](conv_algorithm algorithm) {
    with_schedule(on, a, algorithm, {}, [&](const auto& s) { cheapest(algorithm, cost::cycles(s, g.input_size())); });
  };
  if (any) offer(conv_algorithm::patches), offer(conv_algorithm::segments);
  offer_winograd<T>(g, told, g.n * g.oh() * g.ow(), offer);
  return cheapest.algorithm;
}
}  // namespace detail

/// Chooses how the gradient for the filter is computed: one "product" of the image as it lies; in "patches", elements
/// of windows packed tile by tile, times dy in panels; in "segments", dy times windows where they lie, for few filters;
/// or "winograd 4x4" or "winograd 2x2".
/// Throws: unsupported where args tell to use an algorithm that can not.
template <std::floating_point T>
[[nodiscard]] conv2d_prepared prepare(const native_cpu& on, const conv2d_backward_weights_args<T>& a,
                                      const prepare_options& = {}) {
  detail::check_algorithm(a);
  conv2d_prepared made;
  made.of_product[0] = detail::algorithm_of(on, a);
  if (made.of_product[0] == conv_algorithm::exact)
    made.gemm = detail::schedule(on, detail::plain_weights_schedule<T>::product(a));
  made.told.executed = receipt(a);
  detail::with_schedule(on, a, made.of_product[0], made.gemm, [&]<class Schedule>(const Schedule& s) {
    const auto workers = static_cast<std::size_t>(std::min<index_t>(on.thread_count(), s.parts()));
    made.told.predicted_cycles = detail::cost::cycles(s, a.geometry.input_size());
    made.told.algorithm = Schedule::algorithm;
    made.told.workspace_bytes = s.sums_bytes + workers * s.worker_bytes;
    if constexpr (requires { s.executed(); }) {
      const work did = s.executed();
      made.told.executed.flop += did.flop - made.told.executed.matrix_flop;
      made.told.executed.matrix_flop = did.matrix_flop;
    }
  });
  return made;
}
template <std::floating_point T>
void make_constants(const native_cpu&, const conv2d_prepared&, const conv2d_backward_weights_args<T>&, void*) {}
template <std::floating_point T>
void execute(const native_cpu& on, const conv2d_prepared& made, const conv2d_backward_weights_args<T>& a,
             const call_memory& memory) {
  const conv2d_geometry& g = a.geometry;
  auto* const workspace = static_cast<std::byte*>(memory.workspace);
  if (a.db != nullptr) detail::sum_columns(on, {a.dy, g.n * g.oh() * g.ow(), g.f}, a.db);
  detail::with_schedule(on, a, made.of_product[0], made.gemm,
                        [&](const auto& s) { s.run(on, a.dy, a.dw, workspace, workspace + s.sums_bytes); });
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
