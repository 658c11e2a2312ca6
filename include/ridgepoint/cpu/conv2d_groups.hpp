// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/conv2d_finish.hpp>
#include <ridgepoint/cpu/depthwise_conv2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A pass of some adjacent images.
template <class T>
[[nodiscard]] conv2d_args<T> images_of(conv2d_args<T> a, index_t first, index_t count) noexcept {
  a.geometry.n = 1;
  const index_t output = first * a.geometry.output_size();
  a.x = part_of(a.x, first * a.geometry.input_size()), a.y = part_of(a.y, output);
  a.residual = part_of(a.residual, output);
  a.geometry.n = count;
  return a;
}
template <class T>
[[nodiscard]] conv2d_backward_data_args<T> images_of(conv2d_backward_data_args<T> a, index_t first,
                                                     index_t count) noexcept {
  a.geometry.n = 1;
  a.dy = part_of(a.dy, first * a.geometry.output_size()), a.dx = part_of(a.dx, first * a.geometry.input_size());
  a.geometry.n = count;
  return a;
}

/// How a pass in groups, or one whose results are gone over again, is cut: parts of some images and one group, each a
/// convolution of its own, on one thread where there are enough of them. Half of L2 holds what the images read and
/// write, to be there for the groups that follow, and for the second look.
struct group_parts {
  index_t groups = 1, all_images = 0, images = 0, chunks = 1;  // images of a part; parts of a group

  /// Of all images at once.
  explicit group_parts(index_t groups_) noexcept : groups(groups_) {}
  template <template <class> class Args, class T>
  explicit group_parts(const Args<T>& a) noexcept
      : groups(a.geometry.groups), all_images(a.geometry.n), images(a.geometry.n) {
    const conv2d_geometry& g = a.geometry;
    if ((groups == 1 && !finishes_apart(a)) || g.n < 2) return;
    constexpr index_t size = sizeof(T);
    images = std::clamp<index_t>(gemm_host_caches().l2 / 2 / size * g.n / (g.input_size() + g.output_size()), 1, g.n);
    chunks = ceil_div(g.n, images);
  }
  [[nodiscard]] index_t count() const noexcept { return groups * chunks; }
  /// How many parts run at once, and on what.
  [[nodiscard]] index_t at_once(const native_cpu& on) const noexcept {
    return count() < on.thread_count() ? 1 : std::min<index_t>(on.thread_count(), count());
  }
  [[nodiscard]] native_cpu each_on(const native_cpu& on) const { return at_once(on) == 1 ? on : native_cpu(1); }
  /// run(part, worker, on) for each.
  template <class Run>
  void for_each(const native_cpu& on, Run&& run) const {
    const native_cpu each = each_on(on);
    parallel_for(static_cast<int>(at_once(on)), count(),
                 [&](index_t part, index_t worker) { run(part, worker, each); });
  }
  /// The images of a part; its group is part % groups.
  template <class Args>
  [[nodiscard]] Args images_of_part(const Args& a, index_t part) const noexcept {
    if (chunks == 1) return a;
    const index_t first = part / groups * images;
    return images_of(a, first, std::min(images, all_images - first));
  }
};

/// Whether every channel has filters of its own, so that the pass is one of depthwise_conv2d(), unless told otherwise.
template <class Args>
[[nodiscard]] bool is_by_channel(const Args& a) noexcept {
  const bool free = a.algorithm == conv_algorithm::automatic || a.algorithm == conv_algorithm::exact;
  return free && a.geometry.groups == a.geometry.c && a.geometry.groups > 1;
}
[[nodiscard]] inline depthwise_geometry by_channel(const conv2d_geometry& g) noexcept {
  return {.n = g.n,
          .h = g.h,
          .w = g.w,
          .c = g.c,
          .multiplier = g.group_f(),
          .kh = g.kh,
          .kw = g.kw,
          .stride = g.stride,
          .padding = g.padding,
          .dilation = g.dilation};
}
/// The pass of depthwise_conv2d() that such a pass is.
template <class T>
[[nodiscard]] depthwise_conv2d_args<T> by_channel(const conv2d_args<T>& a) noexcept {
  return {.geometry = by_channel(a.geometry), .x = a.x, .w = a.w, .bias = a.bias, .y = a.y};
}
template <class T>
[[nodiscard]] depthwise_conv2d_backward_data_args<T> by_channel(const conv2d_backward_data_args<T>& a) noexcept {
  return {.geometry = by_channel(a.geometry), .dy = a.dy, .w = a.w, .dx = a.dx};
}
template <class T>
[[nodiscard]] depthwise_conv2d_backward_weights_args<T> by_channel(const conv2d_backward_weights_args<T>& a) noexcept {
  return {.geometry = by_channel(a.geometry), .x = a.x, .dy = a.dy, .dw = a.dw, .db = a.db};
}
template <class Args>
void run_by_channel(const native_cpu& on, const Args& a) {
  execute(on, by_channel(a));
  if constexpr (requires { finish_results(on, a); }) finish_results(on, a);
}
/// What such a pass executes: its receipt with the products that are computed.
template <class Args>
[[nodiscard]] work executed_by_channel(const native_cpu& on, const Args& a) {
  return executed_with(prepare(on, by_channel(a)).told.executed.matrix_flop, receipt(a));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
