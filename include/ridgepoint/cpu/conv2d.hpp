// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <limits>

#include <ridgepoint/cpu/conv2d_cost.hpp>
#include <ridgepoint/cpu/conv2d_dots.hpp>
#include <ridgepoint/cpu/conv2d_groups.hpp>
#include <ridgepoint/cpu/conv2d_joined.hpp>
#include <ridgepoint/cpu/conv2d_patches.hpp>
#include <ridgepoint/cpu/conv2d_segments.hpp>
#include <ridgepoint/cpu/conv2d_weights.hpp>
#include <ridgepoint/cpu/conv2d_weights_in_place.hpp>
#include <ridgepoint/cpu/conv2d_winograd_weights.hpp>
#include <ridgepoint/cpu/dense.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/cpu/run_once.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A pass of a convolution whose algorithm is chosen.
struct conv2d_prepared {
  preparation told;
  std::size_t packed_bytes = 0;  // of the filter as the algorithms read it: the first of the workspace, or constant
  std::size_t part_bytes = 0;    // of the workspace, for each part in groups that runs at once
  detail::filter_is filter = detail::filter_is::given;
  index_t joined = 0;                              // adjacent pixels computed as one; 0: each for itself
  std::array<conv_algorithm, 16> of_product = {};  // exact: of the image as it lies; of more, patches unless told
  detail::gemm_schedule gemm = {};                 // of a product of the image as it lies
  index_t gemm_images = 0;                         // of so many images
};

namespace detail {

/// f(product) for each product that a group of a pass consists of.
template <std::floating_point T, class F>
void for_products(const conv2d_args<T>& a, index_t group, F&& f) {
  f(convolution_of(a, group));
}
template <std::floating_point T, class F>
void for_products(const conv2d_backward_data_args<T>& a, index_t group, F&& f) {
  const spatial stride = a.geometry.stride;
  for (index_t h = 0; h < std::min(stride.h, a.geometry.h); ++h)
    for (index_t w = 0; w < std::min(stride.w, a.geometry.w); ++w) f(convolution_of(a, group, spatial(h, w)));
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

/// Whether a product, or a gradient for a filter, is computed as is quickest: what is told is nothing for it.
[[nodiscard]] constexpr bool is_open(conv_algorithm told) noexcept {
  return told == conv_algorithm::automatic || told == conv_algorithm::exact || told == conv_algorithm::joined;
}

/// The algorithm that leaves nothing to choose: of a product, or of a gradient for a filter; else automatic.
[[nodiscard]] constexpr conv_algorithm settled_algorithm(const auto& p, conv_algorithm told) noexcept {
  if (told == conv_algorithm::winograd_2x2 || told == conv_algorithm::winograd_4x4) return told;
  if (told == conv_algorithm::winograd) return conv_algorithm::automatic;
  if (p.is_plain()) return conv_algorithm::exact;
  return is_open(told) ? conv_algorithm::automatic : told;
}

/// The algorithm of a product: the one it is told, or that of least predicted cycles on one thread, whatever runs it.
template <class T>
[[nodiscard]] conv_algorithm algorithm_of(const conv_product<T>& p, const conv2d_geometry& g, conv_algorithm told,
                                          filter_is filter) {
  if (const auto settled = settled_algorithm(p, told); settled != conv_algorithm::automatic) return settled;
  const native_cpu on(1);
  cheapest_algorithm cheapest;
  const auto offer = [&](conv_algorithm algorithm) {
    with_schedule(on, p, algorithm, {}, [&](const auto& s) { cheapest(algorithm, cost::cycles(s, p, filter)); });
  };
  if (is_open(told)) {
    offer(conv_algorithm::patches);
    if (!kernels::replicates_a<T>(kernels::native_unit)) offer(conv_algorithm::segments);
    if (may_be_dots(p)) offer(conv_algorithm::dots);
  }
  offer_winograd<T>(g, told, p.source.channels, offer);
  return cheapest.algorithm;
}

/// use(product, schedule) for each product of a group of a pass that is prepared.
template <class Args, class Use>
void for_schedules(const native_cpu& on, const Args& a, index_t group, const conv2d_prepared& made, Use&& use) {
  if (made.joined > 0)
    return for_joined(a, made.joined, [&](const auto& p) { use(p, joined_schedule<element_of<Args>>(on, p)); });
  std::size_t number = 0;
  for_products(a, group, [&](const auto& p) {
    const conv_algorithm algorithm = number < made.of_product.size() ? made.of_product[number]
                                     : is_open(a.algorithm)          ? conv_algorithm::patches
                                                                     : a.algorithm;
    ++number;
    const bool replans = algorithm == conv_algorithm::exact && a.geometry.n != made.gemm_images;
    with_schedule(on, p, algorithm, replans ? schedule(on, p.plain()) : made.gemm, [&](const auto& s) { use(p, s); });
  });
}

/// The cycles that a group of a pass is predicted to take.
template <class Args>
[[nodiscard]] double predicted_cycles(const native_cpu& on, const Args& a, const conv2d_prepared& made) {
  double sum = 0;
  for_schedules(on, a, 0, made, [&](const auto& p, const auto& s) { sum += cost::cycles(s, p, made.filter); });
  return sum;
}

/// How many adjacent pixels of a pass are computed as one: some if told to, or where that is predicted to take less
/// time than the way that is prepared; 0: each for itself.
template <class Args>
[[nodiscard]] index_t pixels_to_join(const Args& a, const conv2d_prepared& made) {
  const native_cpu on(1);
  const bool told = a.algorithm == conv_algorithm::joined;
  if (!told &&
      (a.algorithm != conv_algorithm::automatic || kernels::replicates_a<element_of<Args>>(kernels::native_unit)))
    return 0;
  const index_t joined = likely_joined(a);
  if (told || joined == 0) return joined;
  conv2d_prepared other = made;
  other.joined = joined;
  return predicted_cycles(on, a, other) < predicted_cycles(on, a, made) ? joined : 0;
}

}  // namespace detail

/// Passes that are products of what windows read, and a filter.
template <class Args>
concept convolution_pass = requires(const Args& a) {
  detail::for_products(a, index_t{0}, [](const auto&) {});
};

namespace detail {
/// Where a group's filter begins among those of all, as the algorithm reads them.
template <class T>
[[nodiscard]] std::size_t packed_elements_before(const conv2d_prepared& made, const group_parts& groups,
                                                 index_t group) noexcept {
  return static_cast<std::size_t>(group) * (made.packed_bytes / sizeof(T) / static_cast<std::size_t>(groups.groups));
}
}  // namespace detail

/// Chooses how a pass of conv2d() is computed, for which a filter in constant memory is packed, or transformed, once:
/// - "product" of the image as it lies, where windows are single pixels;
/// - "segments": windows multiplied where they lie, row of taps by row of taps, with the filter in panels;
/// - "patches": what windows read, gathered row by row, where rows of results are short or begin in one set of L1;
/// - "joined": several adjacent results of a row as one with more columns, in segments, where one fills few lanes; a
///   NaN or an infinity that windows read spreads to the results joined with those that read it;
/// - "dots": dot products of windows where they lie, and columns of the filter, where there are few of these;
/// - "winograd 4x4" and "winograd 2x2" of float. The RMS error is at most twice that of direct summation (2.2 times
///   without FMA), at most the same of 2×2 results of 3×3 taps; a NaN or an infinity that windows read spreads to all
///   results of a tile that reads it.
/// Every group is a convolution of its own; where each has one channel of x, it is "depthwise".
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
  work& executed = made.told.executed = receipt(a);
  if (detail::is_by_channel(a)) {
    made.told.algorithm = "depthwise", executed = detail::executed_by_channel(on, a);
    return made;
  }
  const detail::group_parts parts(a);
  const native_cpu each = parts.each_on(on);
  std::size_t number = 0;
  detail::for_products(a, 0, [&](const detail::conv_product<T>& p) {
    if (number < made.of_product.size())
      made.of_product[number++] = detail::algorithm_of(p, a.geometry, a.algorithm, filter);
  });
  made.joined = detail::pixels_to_join(a, made);
  const Args images = parts.images_of_part(a, 0);
  detail::for_products(images, 0, [&](const detail::conv_product<T>& p) {
    if (p.is_plain()) made.gemm = detail::schedule(each, p.plain()), made.gemm_images = images.geometry.n;
  });
  made.told.algorithm = "product";
  executed.flop -= executed.matrix_flop;
  executed.matrix_flop = 0;
  const auto groups = static_cast<std::size_t>(parts.groups);
  detail::for_schedules(each, a, 0, made, [&]<class Schedule>(const auto& p, const Schedule& s) {
    const work did = s.executed(p, filter);
    executed.flop += groups * did.flop, executed.matrix_flop += groups * did.matrix_flop;
    made.told.predicted_cycles += static_cast<double>(groups) * detail::cost::cycles(s, p, filter);
    if (s.packed > 0) made.told.algorithm = Schedule::algorithm;
    made.packed_bytes += groups * detail::piece_bytes<T>(s.packed);
  });
  for (const index_t part : {index_t{0}, parts.count() - 1})
    detail::for_schedules(each, parts.images_of_part(a, part), 0, made, [&](const auto&, const auto& s) {
      const auto workers = static_cast<std::size_t>(std::min<index_t>(each.thread_count(), s.parts()));
      made.part_bytes = std::max(made.part_bytes, workers * s.worker_bytes);
    });
  const std::size_t workers_bytes = static_cast<std::size_t>(parts.at_once(on)) * made.part_bytes;
  made.told.constant_bytes = constant ? made.packed_bytes : 0;
  made.told.workspace_bytes = workers_bytes + (constant ? 0 : made.packed_bytes);
  return made;
}
template <convolution_pass Args>
void make_constants(const native_cpu& on, const conv2d_prepared& made, const Args& a, void* to) {
  using T = detail::element_of<Args>;
  const detail::group_parts groups(a.geometry.groups);
  groups.for_each(on, [&](index_t group, index_t, const native_cpu& each) {
    T* packed = static_cast<T*>(to) + detail::packed_elements_before<T>(made, groups, group);
    detail::for_schedules(each, a, group, made, [&](const auto& p, const auto& s) {
      s.pack(each, p, packed);
      packed += detail::piece_bytes<T>(s.packed) / sizeof(T);
    });
  });
}
template <convolution_pass Args>
void execute(const native_cpu& on, const conv2d_prepared& made, const Args& a, const call_memory& memory) {
  using T = detail::element_of<Args>;
  if (detail::is_by_channel(a)) return detail::run_by_channel(on, a);
  auto* workers = static_cast<std::byte*>(memory.workspace);
  const T* constants = static_cast<const T*>(memory.constants);
  if (made.told.constant_bytes == 0) {
    make_constants(on, made, a, workers);
    constants = reinterpret_cast<const T*>(workers);
    workers += made.packed_bytes;
  }
  const detail::group_parts parts(a);
  const bool apart = detail::finishes_apart(a);
  parts.for_each(on, [&](index_t part, index_t worker, const native_cpu& each) {
    const index_t group = part % parts.groups;
    const Args images = parts.images_of_part(a, part);
    const T* packed = constants + detail::packed_elements_before<T>(made, parts, group);
    detail::for_schedules(each, images, group, made, [&](const auto& p, const auto& s) {
      s.run(each, p, packed, workers + static_cast<std::size_t>(worker) * made.part_bytes);
      packed += detail::piece_bytes<T>(s.packed) / sizeof(T);
    });
    if (apart && parts.groups == 1) detail::finish_results(each, images);
  });
  if (apart && parts.groups > 1) detail::finish_results(on, a);
}

namespace detail {
/// The gradient for the filter of a group.
template <class T>
[[nodiscard]] weights_product<T> product_of(const conv2d_backward_weights_args<T>& a, index_t group) noexcept {
  const conv2d_geometry& g = a.geometry;
  const index_t first = group * g.group_f();
  return {patches_of(g, a.x, group), part_of(a.dy, first), g.group_f(), g.f, part_of(a.db, first)};
}
/// use(schedule) with the schedule of the gradient for a filter by an algorithm; planned: where that is exact.
template <class T, class Use>
void with_schedule(const native_cpu& on, const weights_product<T>& p, conv_algorithm algorithm,
                   const gemm_schedule& planned, Use&& use) {
  switch (algorithm) {
    case conv_algorithm::segments:
      return use(weights_in_place_schedule<T, vectors_along::filters>(on, p));
    case conv_algorithm::dots:
      return use(weights_in_place_schedule<T, vectors_along::taps>(on, p));
    case conv_algorithm::patches:
      return use(weights_schedule<T>(on, p));
    case conv_algorithm::winograd_2x2:
    case conv_algorithm::winograd_4x4:
      if constexpr (winograd_element<T>)
        return with_winograd_tile(algorithm, p.source.rows.taps.count,
                                  [&]<class Tile>(Tile) { use(winograd_weights_schedule<T, Tile>(p)); });
      return;
    default:
      use(plain_weights_schedule<T>(planned));
  }
}
template <class T>
[[nodiscard]] conv_algorithm algorithm_of(const conv2d_backward_weights_args<T>& a) {
  const conv2d_geometry& g = a.geometry;
  const weights_product<T> p = product_of(a, 0);
  if (const auto settled = settled_algorithm(p, a.algorithm); settled != conv_algorithm::automatic) return settled;
  const native_cpu on(1);
  cheapest_algorithm cheapest;
  const auto offer = [&](conv_algorithm algorithm) {
    with_schedule(on, p, algorithm, {}, [&](const auto& s) { cheapest(algorithm, cost::cycles(s, g.input_size())); });
  };
  if (is_open(a.algorithm)) {
    offer(conv_algorithm::patches), offer(conv_algorithm::dots);
    if (!kernels::replicates_a<T>(kernels::native_unit)) offer(conv_algorithm::segments);
  }
  offer_winograd<T>(g, a.algorithm, g.n * g.oh() * g.ow(), offer);
  return cheapest.algorithm;
}
/// Bytes of a group's gradient, which is dense before it takes its place among the others; none where it is alone.
template <class T>
[[nodiscard]] std::size_t group_weights_bytes(const conv2d_geometry& g) noexcept {
  return g.groups == 1 ? 0 : piece_bytes<T>(g.kh * g.kw * g.group_c() * g.group_f());
}
}  // namespace detail

/// Chooses how the gradient for the filter is computed: one "product" of the image as it lies; in "patches", elements
/// of windows packed tile by tile, times dy in panels; in "segments" and "dots", windows times dy where both lie: along
/// the filters, for rows of taps of few elements, or along the taps, for few filters; or "winograd 4x4" or "winograd
/// 2x2". Every group has a gradient of its own; where each has one channel of x, it is "depthwise".
/// Throws: unsupported where args tell to use an algorithm that can not.
template <std::floating_point T>
[[nodiscard]] conv2d_prepared prepare(const native_cpu& on, const conv2d_backward_weights_args<T>& a,
                                      const prepare_options& = {}) {
  detail::check_algorithm(a);
  conv2d_prepared made;
  work& executed = made.told.executed = receipt(a);
  if (detail::is_by_channel(a)) {
    made.told.algorithm = "depthwise", executed = detail::executed_by_channel(on, a);
    return made;
  }
  const detail::group_parts groups(a.geometry.groups);
  const native_cpu each = groups.each_on(on);
  const detail::weights_product<T> p = detail::product_of(a, 0);
  made.of_product[0] = detail::algorithm_of(a);
  if (made.of_product[0] == conv_algorithm::exact)
    made.gemm = detail::schedule(each, detail::plain_weights_schedule<T>::product(p, a.dw));
  detail::with_schedule(each, p, made.of_product[0], made.gemm, [&]<class Schedule>(const Schedule& s) {
    const auto workers = static_cast<std::size_t>(std::min<index_t>(each.thread_count(), s.parts()));
    made.told.predicted_cycles = static_cast<double>(groups.groups) * detail::cost::cycles(s, a.geometry.input_size());
    made.told.algorithm = Schedule::algorithm;
    made.part_bytes = detail::group_weights_bytes<T>(a.geometry) + s.sums_bytes + workers * s.worker_bytes;
    made.told.workspace_bytes = static_cast<std::size_t>(groups.at_once(on)) * made.part_bytes;
    if constexpr (requires { s.executed(); }) {
      const work did = s.executed();
      const auto count = static_cast<std::uint64_t>(groups.groups);
      executed.flop += count * did.flop - executed.matrix_flop;
      executed.matrix_flop = count * did.matrix_flop;
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
  if (detail::is_by_channel(a)) return detail::run_by_channel(on, a);
  detail::group_parts(g.groups).for_each(on, [&](index_t group, index_t worker, const native_cpu& each) {
    auto* workspace = static_cast<std::byte*>(memory.workspace) + static_cast<std::size_t>(worker) * made.part_bytes;
    T* const dw = g.groups == 1 ? a.dw : reinterpret_cast<T*>(workspace);
    workspace += detail::group_weights_bytes<T>(g);
    const detail::weights_product<T> p = detail::product_of(a, group);
    detail::with_schedule(each, p, made.of_product[0], made.gemm,
                          [&](const auto& s) { s.run(each, p, dw, workspace, workspace + s.sums_bytes); });
    if (g.groups == 1) return;
    for (index_t line = 0; line < p.source.depth(); ++line)
      std::copy_n(dw + line * p.columns, p.columns, a.dw + line * g.f + group * p.columns);
  });
}

template <convolution_pass Args>
void execute(const native_cpu& on, const Args& a) {
  detail::run_once(on, a);
}
template <std::floating_point T>
void execute(const native_cpu& on, const conv2d_backward_weights_args<T>& a) {
  detail::run_once(on, a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
