// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/conv2d_choice.hpp>
#include <ridgepoint/cpu/conv2d_schedule.hpp>
#include <ridgepoint/cpu/conv2d_weights.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Returns the offset of a group's filter in the packed filters of all groups.
template <class T>
[[nodiscard]] std::size_t packed_elements_before(const conv2d_prepared& made, const group_parts& groups,
                                                 index_t group) noexcept {
  return static_cast<std::size_t>(group) * (made.packed_bytes / sizeof(T) / static_cast<std::size_t>(groups.groups));
}

template <cpu_backend On, class T>
[[nodiscard]] conv2d_prepared prepare_pass(const On& on, const conv_pass<T>& a, const work& receipt,
                                           const prepare_options& options) {
  const bool constant = overlap(a.w, 1, options.constant, static_cast<index_t>(options.constant_bytes));
  const auto filter = constant ? filter_is::constant : filter_is::given;
  check_algorithm<T>(a.is_forward() ? "conv2d" : "conv2d_backward_data", a.geometry, a.algorithm);
  conv2d_prepared made;
  made.filter = filter;
  work& executed = made.info.executed = receipt;
  if (is_by_channel(a.geometry, a.algorithm)) {
    made.info.algorithm = "depthwise", executed = executed_by_channel(on, a, receipt);
    return made;
  }
  const kernels::vector_unit v = on.vectors();
  const group_parts parts(a);
  const auto each = parts.each_on(on);
  constexpr double unknown = std::numeric_limits<double>::infinity();
  const index_t products = products_of(a), most = static_cast<index_t>(made.of_product.size());
  double cycles = products > most ? unknown : 0;
  for (index_t number = 0; number < (std::min)(products, most); ++number) {
    const auto chosen = algorithm_of(v, product_of(a, 0, phase_of(a, number)), a.geometry, a.algorithm, filter);
    made.of_product[static_cast<std::size_t>(number)] = chosen.algorithm;
    cycles += chosen.cycles;
  }
  made.joined = pixels_to_join(on.on_one_thread(), a, made, cycles);
  const conv_pass<T> images = parts.images_of_part(a, 0);
  for (index_t number = 0; number < products; ++number)
    if (algorithm_of_step(images, made, number) == conv_algorithm::exact) {
      const conv_product<T> p = product_of(images, 0, phase_of(a, number));
      made.gemm = detail::schedule(each, p.plain()), made.gemm_images = images.geometry.n;
    }
  made.info.algorithm = "product";
  executed.flop -= executed.matrix_flop;
  executed.matrix_flop = 0;
  const auto groups = static_cast<std::size_t>(parts.groups);
  const auto add_memory = [&](const conv_schedule& s) {
    const auto workers = static_cast<std::size_t>(std::min<index_t>(each.thread_count(), s.parts));
    made.part_bytes = (std::max)(made.part_bytes, workers * s.worker_bytes);
  };
  const bool one_chunk = parts.chunks == 1;
  for (const conv_step<T>& step : conv_steps(each, a, 0, made)) {
    const conv_schedule& s = step.schedule;
    const work did = detail::executed(v, s, step.product, filter);
    executed.flop += groups * did.flop, executed.matrix_flop += groups * did.matrix_flop;
    made.info.predicted_cycles += static_cast<double>(groups) * cost::cycles(v, s, step.product, filter);
    if (s.packed > 0) made.info.algorithm = name_of(s.algorithm);
    made.packed_bytes += groups * piece_bytes<T>(s.packed);
    if (one_chunk) add_memory(s);
  }
  if (!one_chunk)
    for (const index_t part : {index_t{0}, parts.count() - 1}) {
      const conv_pass<T> of_part = parts.images_of_part(a, part);
      for (const conv_step<T>& step : conv_steps(each, of_part, 0, made)) add_memory(step.schedule);
    }
  const std::size_t workers_bytes = static_cast<std::size_t>(parts.at_once(on)) * made.part_bytes;
  made.info.constant_bytes = constant ? made.packed_bytes : 0;
  made.info.workspace_bytes = workers_bytes + (constant ? 0 : made.packed_bytes);
  return made;
}
template <cpu_backend On, class T>
void pack_filters(const On& on, const conv2d_prepared& made, const conv_pass<T>& a, T* to) {
  const group_parts groups(a.geometry.groups);
  const auto each = groups.each_on(on);
  parallel_for(groups.at_once(on), groups.count(), [&](index_t group) {
    T* packed = to + packed_elements_before<T>(made, groups, group);
    for (const conv_step<T>& step : conv_steps(each, a, group, made)) {
      pack(each, a, step, packed);
      packed += piece_bytes<T>(step.schedule.packed) / sizeof(T);
    }
  });
}
template <cpu_backend On, class T>
void run_pass(const On& on, const conv2d_prepared& made, const conv_pass<T>& a, const call_memory& memory) {
  if (is_by_channel(a.geometry, a.algorithm)) return run_by_channel(on, a);
  auto* workers = static_cast<std::byte*>(memory.workspace);
  const T* constants = static_cast<const T*>(memory.constants);
  const group_parts parts(a);
  const bool packed_before = made.info.constant_bytes != 0;
  if (parts.count() == 1) {
    T* const own = reinterpret_cast<T*>(workers);
    if (!packed_before) constants = own, workers += made.packed_bytes;
    std::size_t at = 0;
    for (const conv_step<T>& step : conv_steps(on, a, 0, made)) {
      if (!packed_before) pack(on, a, step, own + at);
      run(on, step, constants + at, workers);
      at += piece_bytes<T>(step.schedule.packed) / sizeof(T);
    }
    if (a.needs_finish_pass) finish_results(on, a);
    return;
  }
  if (!packed_before) {
    pack_filters(on, made, a, reinterpret_cast<T*>(workers));
    constants = reinterpret_cast<const T*>(workers);
    workers += made.packed_bytes;
  }
  const auto each = parts.each_on(on);
  parallel_for(parts.at_once(on), parts.count(), [&](index_t part, index_t worker) {
    const index_t group = part % parts.groups;
    const conv_pass<T> images = parts.images_of_part(a, part);
    const T* packed = constants + packed_elements_before<T>(made, parts, group);
    for (const conv_step<T>& step : conv_steps(each, images, group, made)) {
      run(each, step, packed, workers + static_cast<std::size_t>(worker) * made.part_bytes);
      packed += piece_bytes<T>(step.schedule.packed) / sizeof(T);
    }
    if (a.needs_finish_pass && parts.groups == 1) finish_results(each, images);
  });
  if (a.needs_finish_pass && parts.groups > 1) finish_results(on, a);
}

/// Returns the bytes of a group's gradient, which is dense before it is copied to its position; 0 for a single group.
template <class T>
[[nodiscard]] std::size_t group_weights_bytes(const conv2d_geometry& g) noexcept {
  return g.groups == 1 ? 0 : piece_bytes<T>(g.kh * g.kw * g.group_c() * g.group_f());
}
}  // namespace detail

/// A pass computed as products of windows and a filter.
template <class Args>
concept convolution_pass = requires(const Args& a) {
  detail::pass_of(a);
};

/// Chooses the algorithm of a conv2d() pass; it packs, or transforms, a filter in constant memory once:
/// - "product": GEMM on the image itself, if windows are single pixels;
/// - "segments" (implicit GEMM): windows multiplied in place, one row of taps at a time, with the filter in panels;
/// - "patches" (im2col): window elements gathered row by row, if rows of results are short or map to one set of L1;
/// - "joined": several adjacent results of a row as one with more columns, in segments, if one fills few lanes; a
///   NaN or an infinity in a window spreads to the results joined with those that read it;
/// - "dots": dot products of windows in place and columns of the filter, if the filter has few columns;
/// - "winograd 4x4" and "winograd 2x2" for float. The RMS error is at most twice that of direct summation (2.2 times
///   without FMA), at most equal to it for 2×2 results of 3×3 taps; a NaN or an infinity in a window spreads to all
///   results of a tile that reads it.
/// Every group is a separate convolution; with one channel of x per group, it is "depthwise".
///
/// Throws: unsupported if args request an algorithm that cannot compute the pass.
template <cpu_backend On, convolution_pass Args>
[[nodiscard]] conv2d_prepared prepare(const On& on, const Args& a, const prepare_options& options = {}) {
  return detail::prepare_pass(on, detail::pass_of(a), receipt(a), options);
}
template <cpu_backend On, convolution_pass Args>
void make_constants(const On& on, const conv2d_prepared& made, const Args& a, void* to) {
  const auto pass = detail::pass_of(a);
  detail::pack_filters(on, made, pass, static_cast<decltype(pass.to)>(to));
}
template <cpu_backend On, convolution_pass Args>
void execute(const On& on, const conv2d_prepared& made, const Args& a, const call_memory& memory) {
  detail::run_pass(on, made, detail::pass_of(a), memory);
}

/// Chooses the algorithm of the filter gradient: one "product" of the image itself; "patches", window elements packed
/// tile by tile, times dy in panels; "segments" and "dots", windows times dy, both in place: vectors along the filters,
/// for rows of taps of few elements, or along the taps, for few filters; or "winograd 4x4" or "winograd 2x2". Every
/// group has a separate gradient; with one channel of x per group, it is "depthwise".
/// Throws: unsupported if args request an algorithm that cannot compute the gradient.
template <cpu_backend On, std::floating_point T>
[[nodiscard]] conv2d_prepared prepare(const On& on, const conv2d_backward_weights_args<T>& a,
                                      const prepare_options& = {}) {
  detail::check_algorithm<T>("conv2d_backward_weights", a.geometry, a.algorithm);
  conv2d_prepared made;
  work& executed = made.info.executed = receipt(a);
  if (detail::is_by_channel(a.geometry, a.algorithm)) {
    const std::uint64_t products = prepare(on, detail::by_channel(a)).info.executed.matrix_flop;
    made.info.algorithm = "depthwise", executed = detail::executed_with(products, executed);
    return made;
  }
  const kernels::vector_unit v = on.vectors();
  const detail::group_parts groups(a.geometry.groups);
  const auto each = groups.each_on(on);
  const detail::weights_product<T> p = detail::product_of(a, 0);
  const conv_algorithm algorithm = made.of_product[0] = detail::algorithm_of(v, a, p);
  if (algorithm == conv_algorithm::exact) made.gemm = detail::schedule(each, detail::plain_product(p, a.dw));
  const detail::weights_schedule s = detail::schedule_of(v, each.thread_count(), p, algorithm, made.gemm);
  const auto workers = static_cast<std::size_t>(std::min<index_t>(each.thread_count(), s.parts));
  made.info.predicted_cycles =
      static_cast<double>(groups.groups) * detail::cost::cycles(v, s, p, a.geometry.input_size());
  made.info.algorithm = detail::name_of(algorithm);
  made.part_bytes = detail::group_weights_bytes<T>(a.geometry) + s.sums_bytes + workers * s.worker_bytes;
  made.info.workspace_bytes = static_cast<std::size_t>(groups.at_once(on)) * made.part_bytes;
  if (algorithm != conv_algorithm::exact) {
    const work did = detail::executed(v, s, p);
    const auto count = static_cast<std::uint64_t>(groups.groups);
    executed.flop += count * did.flop - executed.matrix_flop;
    executed.matrix_flop = count * did.matrix_flop;
  }
  return made;
}
template <cpu_backend On, std::floating_point T>
void make_constants(const On&, const conv2d_prepared&, const conv2d_backward_weights_args<T>&, void*) {}
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const conv2d_prepared& made, const conv2d_backward_weights_args<T>& a,
             const call_memory& memory) {
  const conv2d_geometry& g = a.geometry;
  if (detail::is_by_channel(g, a.algorithm)) return execute(on, detail::by_channel(a));
  const detail::group_parts groups(g.groups);
  const auto each = groups.each_on(on);
  parallel_for(groups.at_once(on), groups.count(), [&](index_t group, index_t worker) {
    auto* workspace = static_cast<std::byte*>(memory.workspace) + static_cast<std::size_t>(worker) * made.part_bytes;
    T* const dw = g.groups == 1 ? a.dw : reinterpret_cast<T*>(workspace);
    workspace += detail::group_weights_bytes<T>(g);
    const detail::weights_product<T> p = detail::product_of(a, group);
    const detail::weights_schedule s =
        detail::schedule_of(each.vectors(), each.thread_count(), p, made.of_product[0], made.gemm);
    detail::run(each, s, p, dw, workspace, workspace + s.sums_bytes);
    if (g.groups == 1) return;
    for (index_t line = 0; line < p.source.depth(); ++line)
      std::copy_n(dw + line * p.columns, p.columns, a.dw + line * g.f + group * p.columns);
  });
}

template <cpu_backend On, convolution_pass Args>
void execute(const On& on, const Args& a) {
  detail::run_once(on, a);
}
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const conv2d_backward_weights_args<T>& a) {
  detail::run_once(on, a);
}

namespace detail {
/// The kernels of Winograd's algorithm, for the types it is compiled for.
template <class T>
struct winograd_kernels {
  using type = type_list<>;
  using of_weights = type_list<>;
};
template <winograd_element T>
struct winograd_kernels<T> {
  using type = type_list<kernels::winograd_filter_panel<T>, kernels::conv2d_winograd<T>>;
  using of_weights = type_list<kernels::conv2d_winograd_weights<T>>;
};
template <class T>
using conv2d_kernels =
    decltype(type_list<kernels::pack_filter_panel<T>, kernels::pack_joined_filter<T>, kernels::pack_filter_columns<T>,
                       kernels::conv2d_segments<T>, kernels::conv2d_dots<T>, kernels::conv2d_patches<T>,
                       kernels::conv2d_finish<T>>{} +
             typename winograd_kernels<T>::type{} + gemm_kernels<T>{});
template <class T>
using conv2d_weights_kernels = decltype(
    type_list<kernels::conv2d_packed_weights<T>, kernels::conv2d_weights_in_place<T>, kernels::column_sum<T>>{} +
    typename winograd_kernels<T>::of_weights{} + gemm_kernels<T>{});
template <class Args>
using kernels_by_channel = decltype(kernels_of(std::declval<const Args&>()));
}  // namespace detail

template <std::floating_point T>
decltype(detail::conv2d_kernels<T>{} + detail::kernels_by_channel<depthwise_conv2d_args<T>>{})
    kernels_of(const conv2d_args<T>&);
template <std::floating_point T>
decltype(detail::conv2d_kernels<T>{} + detail::kernels_by_channel<depthwise_conv2d_backward_data_args<T>>{})
    kernels_of(const conv2d_backward_data_args<T>&);
template <std::floating_point T>
decltype(detail::conv2d_weights_kernels<T>{} + detail::kernels_by_channel<depthwise_conv2d_backward_weights_args<T>>{})
    kernels_of(const conv2d_backward_weights_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
