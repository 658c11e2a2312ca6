// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/conv2d_cuts.hpp>
#include <ridgepoint/cpu/depthwise_conv2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y ← act(y + residual) on the results of a pass, if that is left to do.
template <cpu_backend On, class T>
void finish_results(const On& on, const conv_pass<T>& a) noexcept {
  if (a.residual == nullptr && a.act == activation::none) return;
  ridgepoint::for_parts(on, a.output_size(), [&](index_t begin, index_t end) {
    on.template call<kernels::conv2d_finish<T>>(a.to, a.residual, a.act, static_cast<T>(a.slope), begin, end);
  });
}

/// How a pass in groups, or one whose results are gone over again, is cut: parts of some images and one group, each a
/// convolution of its own, on one thread where there are enough of them. Half of L2 holds what the images read and
/// write, to be there for the groups that follow, and for the second look.
struct group_parts {
  index_t groups = 1, all_images = 0, images = 0, chunks = 1;  // images of a part; parts of a group

  /// Of all images at once.
  explicit group_parts(index_t groups_) noexcept : groups(groups_) {}
  template <class T>
  explicit group_parts(const conv_pass<T>& a) noexcept
      : groups(a.geometry.groups), all_images(a.geometry.n), images(a.geometry.n) {
    const conv2d_geometry& g = a.geometry;
    if ((groups == 1 && !a.finishes_apart) || g.n < 2) return;
    constexpr index_t size = sizeof(T);
    images = std::clamp<index_t>(gemm_host_caches().l2 / 2 / size * g.n / (g.input_size() + g.output_size()), 1, g.n);
    chunks = ceil_div(g.n, images);
  }
  [[nodiscard]] index_t count() const noexcept { return groups * chunks; }
  /// How many parts run at once, and on what.
  template <cpu_backend On>
  [[nodiscard]] index_t at_once(const On& on) const noexcept {
    return count() < on.thread_count() ? 1 : std::min<index_t>(on.thread_count(), count());
  }
  template <cpu_backend On>
  [[nodiscard]] auto each_on(const On& on) const -> decltype(on.on_one_thread()) {
    if (at_once(on) == 1) return on;
    return on.on_one_thread();
  }
  /// run(part, worker, on) for each.
  template <cpu_backend On, class Run>
  void for_each(const On& on, Run&& run) const {
    const auto each = each_on(on);
    parallel_for(static_cast<int>(at_once(on)), count(),
                 [&](index_t part, index_t worker) { run(part, worker, each); });
  }
  /// The images of a part; its group is part % groups.
  template <class T>
  [[nodiscard]] conv_pass<T> images_of_part(const conv_pass<T>& a, index_t part) const noexcept {
    if (chunks == 1) return a;
    const index_t first = part / groups * images;
    return images_of(a, first, (std::min)(images, all_images - first));
  }
};

/// Whether every channel has filters of its own, so that the pass is one of depthwise_conv2d(), unless told otherwise.
[[nodiscard]] inline bool is_by_channel(const conv2d_geometry& g, conv_algorithm requested) noexcept {
  const bool free = requested == conv_algorithm::automatic || requested == conv_algorithm::exact;
  return free && g.groups == g.c && g.groups > 1;
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
template <class T>
[[nodiscard]] depthwise_conv2d_backward_weights_args<T> by_channel(const conv2d_backward_weights_args<T>& a) noexcept {
  return {.geometry = by_channel(a.geometry), .x = a.x, .dy = a.dy, .dw = a.dw, .db = a.db};
}
/// use(args) with the pass of depthwise_conv2d() that such a pass is.
template <class T, class Use>
decltype(auto) use_by_channel(const conv_pass<T>& a, const Use& use) {
  const depthwise_geometry g = by_channel(a.geometry);
  if (a.is_forward()) return use(depthwise_conv2d_args<T>{g, a.from, a.w, a.bias, a.to});
  return use(depthwise_conv2d_backward_data_args<T>{g, a.from, a.w, a.to});
}
template <cpu_backend On, class T>
void run_by_channel(const On& on, const conv_pass<T>& a) {
  use_by_channel(a, [&](const auto& of) { execute(on, of); });
  finish_results(on, a);
}
/// The work of such a pass: its receipt with the products that are computed.
template <cpu_backend On, class T>
[[nodiscard]] work executed_by_channel(const On& on, const conv_pass<T>& a, const work& receipt) {
  return executed_with(use_by_channel(a, [&](const auto& of) { return prepare(on, of).told.executed.matrix_flop; }),
                       receipt);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
