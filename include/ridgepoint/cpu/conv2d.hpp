// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>

#include <ridgepoint/cpu/conv2d_dots.hpp>
#include <ridgepoint/cpu/conv2d_groups.hpp>
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
  std::size_t packed_bytes = 0;  // of the filter as the algorithm reads it: the first of the workspace, or constant
  std::size_t part_bytes = 0;    // of the workspace, for each part in groups that runs at once
  conv_algorithm algorithm = conv_algorithm::exact;  // never automatic
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

/// use(schedule) with the schedule of one product of a pass.
template <class T, class Use>
void with_schedule(const native_cpu& on, const conv_product<T>& p, conv_algorithm algorithm, Use&& use) {
  if constexpr (winograd_element<T>)
    if (algorithm == conv_algorithm::winograd) return use(winograd_schedule<T>(p));
  if (p.is_plain()) return use(plain_schedule<T>(on, p));
  if (takes_dots(p, algorithm)) return use(dot_schedule<T>(on, p));
  if (takes_segments(p, algorithm)) return use(segment_schedule<T>(on, p));
  use(patch_schedule<T>(p));
}

}  // namespace detail

/// Passes that are products of what windows read, and a filter.
template <class Args>
concept convolution_pass = requires(const Args& a) {
  detail::for_products(a, index_t{0}, [](const auto&) {});
};

namespace detail {
template <class Args>
using element_of = std::remove_const_t<std::remove_pointer_t<decltype(Args::w)>>;
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
/// - "dots": dot products of windows where they lie, and columns of the filter, where there are few of these;
/// - "winograd 4x4", whose results have an RMS error of 1.8 times that of direct summation in float from 64 channels
///   on, 2.4 times at 16; a NaN or an infinity in x spreads to all results of a tile that reads it.
/// Every group is a convolution of its own; where each has one channel of x, it is "depthwise".
///
/// Throws: unsupported where args tell to use an algorithm that can not.
template <convolution_pass Args>
[[nodiscard]] conv2d_prepared prepare(const native_cpu& on, const Args& a, const prepare_options& options = {}) {
  using T = detail::element_of<Args>;
  const bool constant = detail::overlap(a.w, 1, options.constant, static_cast<index_t>(options.constant_bytes));
  const auto filter = constant ? detail::filter_is::constant : detail::filter_is::given;
  conv2d_prepared made;
  made.algorithm = detail::algorithm_of(a, filter);
  made.told.algorithm = "product";
  work& executed = made.told.executed = receipt(a);
  if (detail::is_by_channel(a)) return made.told.algorithm = "depthwise", made;
  executed.flop -= executed.matrix_flop;
  executed.matrix_flop = 0;
  const detail::group_parts parts(a);
  const native_cpu each = parts.each_on(on);
  const auto with_schedules = [&](const Args& images, const auto& use) {
    detail::for_products(images, 0, [&](const detail::conv_product<T>& p) {
      detail::with_schedule(each, p, made.algorithm, [&](const auto& s) {
        const auto workers = static_cast<std::size_t>(std::min<index_t>(each.thread_count(), s.parts()));
        made.part_bytes = std::max(made.part_bytes, workers * s.worker_bytes);
        use(p, s);
      });
    });
  };
  with_schedules(a, [&]<class Schedule>(const detail::conv_product<T>& p, const Schedule& s) {
    const auto groups = static_cast<std::size_t>(parts.groups);
    const work did = s.executed(p, filter);
    executed.flop += groups * did.flop, executed.matrix_flop += groups * did.matrix_flop;
    if (s.packed > 0) made.told.algorithm = Schedule::algorithm;
    made.packed_bytes += groups * detail::piece_bytes<T>(s.packed);
  });
  if (parts.chunks > 1)
    for (const index_t images : {parts.images, parts.last_images()})
      with_schedules(detail::images_of(a, 0, images), [](const auto&...) {});
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
    detail::for_products(a, group, [&](const detail::conv_product<T>& p) {
      detail::with_schedule(each, p, made.algorithm, [&](const auto& s) {
        s.pack(each, p, packed);
        packed += detail::piece_bytes<T>(s.packed) / sizeof(T);
      });
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
    detail::for_products(images, group, [&](const detail::conv_product<T>& p) {
      detail::with_schedule(each, p, made.algorithm, [&](const auto& s) {
        s.run(each, p, packed, workers + static_cast<std::size_t>(worker) * made.part_bytes);
        packed += detail::piece_bytes<T>(s.packed) / sizeof(T);
      });
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
  return {patches_of(g, a.x, group), part_of(a.dy, group * g.group_f()), g.group_f(), g.f};
}
/// use(schedule) with the schedule of the gradient for a filter.
template <class T, class Use>
void with_schedule(const native_cpu& on, const weights_product<T>& p, T* dw, conv_algorithm algorithm, Use&& use) {
  if constexpr (winograd_element<T>)
    if (algorithm == conv_algorithm::winograd) return use(winograd_weights_schedule<T>(p));
  if (p.source.are_in_place()) return use(plain_weights_schedule<T>(on, p, dw));
  const bool told = algorithm == conv_algorithm::segments || algorithm == conv_algorithm::dots;
  if (told || (algorithm == conv_algorithm::exact && turned_weights_schedule<T>::suits(p)))
    return use(turned_weights_schedule<T>(on, p));
  use(weights_schedule<T>(on, p));
}
/// Bytes of a group's gradient, which is dense before it takes its place among the others; none where it is alone.
template <class T>
[[nodiscard]] std::size_t group_weights_bytes(const conv2d_geometry& g) noexcept {
  return g.groups == 1 ? 0 : piece_bytes<T>(g.kh * g.kw * g.group_c() * g.group_f());
}
}  // namespace detail

/// Chooses how the gradient for the filter is computed: one "product" of the image as it lies; in "patches", elements
/// of windows packed tile by tile, times dy in panels; in "segments", dy times windows where they lie, for few filters;
/// or "winograd 4x4". Every group has a gradient of its own; where each has one channel of x, it is "depthwise".
/// Throws: unsupported where args tell to use an algorithm that can not.
template <std::floating_point T>
[[nodiscard]] conv2d_prepared prepare(const native_cpu& on, const conv2d_backward_weights_args<T>& a,
                                      const prepare_options& = {}) {
  conv2d_prepared made;
  made.algorithm = detail::algorithm_of(a);
  work& executed = made.told.executed = receipt(a);
  if (detail::is_by_channel(a)) return made.told.algorithm = "depthwise", made;
  const detail::group_parts groups(a.geometry.groups);
  const native_cpu each = groups.each_on(on);
  detail::with_schedule(each, detail::product_of(a, 0), a.dw, made.algorithm, [&]<class Schedule>(const Schedule& s) {
    const auto workers = static_cast<std::size_t>(std::min<index_t>(each.thread_count(), s.parts()));
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
  if (a.db != nullptr) detail::sum_columns(on, {a.dy, g.n * g.oh() * g.ow(), g.f}, a.db);
  detail::group_parts(g.groups).for_each(on, [&](index_t group, index_t worker, const native_cpu& each) {
    auto* workspace = static_cast<std::byte*>(memory.workspace) + static_cast<std::size_t>(worker) * made.part_bytes;
    T* const dw = g.groups == 1 ? a.dw : reinterpret_cast<T*>(workspace);
    workspace += detail::group_weights_bytes<T>(g);
    const detail::weights_product<T> p = detail::product_of(a, group);
    detail::with_schedule(each, p, dw, made.algorithm,
                          [&](const auto& s) { s.run(each, p, dw, workspace, workspace + s.sums_bytes); });
    if (g.groups == 1) return;
    for (index_t line = 0; line < p.source.depth(); ++line)
      std::copy_n(dw + line * p.columns, p.columns, a.dw + line * g.f + group * p.columns);
  });
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
