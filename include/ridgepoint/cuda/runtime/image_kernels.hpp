// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/conversion_kernels.hpp>
#include <ridgepoint/cuda/runtime/divisor.hpp>
#include <ridgepoint/ops/all.hpp>

/// \file
/// The kernels of ops on images, except convolutions, which are in kernels.hpp.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Windows over images; must match device/windows.hpp.
struct windows_argument {
  struct axis {
    divisor extent, outputs, stride;
    index_t taps, before, after, dilation;
  };
  index_t images;
  divisor channels;
  axis rows, columns;
};
/// Returns the windows of an op. Geometry: rows() and columns() are its axes, n and c its images and channels.
template <class Geometry>
[[nodiscard]] constexpr windows_argument windows_of(const Geometry& g) noexcept {
  const auto axis = [](const window_axis& a) {
    return windows_argument::axis{a.extent, a.outputs(), a.stride, a.taps, a.before, a.after, a.dilation};
  };
  return {g.n, g.c, axis(g.rows()), axis(g.columns())};
}

/// Images with channels in groups; must match device/group_norm.hpp.
struct grouped_images {
  index_t images;
  divisor pixels;
  index_t channels, groups;
};
/// Images and their enlargement factor; must match device/upsample.hpp.
struct enlarged_images {
  index_t images;
  divisor rows, columns, channels, row_factor, column_factor, larger_rows, larger_columns;
};

template <class T>
struct pooling_kernels {
  static constexpr const char* header = "pooling";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<windows_argument, const T*, T*, std::uint8_t*> max_pool2d{header, "max_pool2d", of};
  static constexpr kernel<windows_argument, const T*, const std::uint8_t*, T*> max_pool2d_backward{
      header, "max_pool2d_backward", of};
  static constexpr kernel<windows_argument, mean_over, const T*, T*> avg_pool2d{header, "avg_pool2d", of};
  static constexpr kernel<windows_argument, mean_over, const T*, T*> avg_pool2d_backward{header, "avg_pool2d_backward",
                                                                                         of};

  template <class F>
  static void each(const F& f) {
    f(max_pool2d), f(max_pool2d_backward), f(avg_pool2d), f(avg_pool2d_backward);
  }
};

template <class T>
struct column_kernels {
  static constexpr kernel<index_t, std::uint32_t, index_t, const compute_t<T>*, T*, T*, index_t> gather_columns{
      "columns", "gather_columns", element_word<T>};

  template <class F>
  static void each(const F& f) {
    f(gather_columns);
  }
};

/// Sums, computed in T over maps stored as X: for batch normalisation's statistics, and for the parameter gradients of
/// any normalisation.
template <class T, class X = T>
struct statistics_kernels {
  static constexpr const char* of = computed_and_stored<T, X>;
  static constexpr kernel<index_t, index_t, std::uint32_t, const X*, T*> sums{"batch_norm", "batch_norm_sums", of};
  static constexpr kernel<T, T, index_t, index_t, std::uint32_t, index_t, const X*, const T*, const T*, T*, T*, T*, T*,
                          T*>
      moments{"batch_norm", "batch_norm_moments", of};
  static constexpr kernel<grouped_images, std::uint32_t, const X*, const T*, const T*, const X*, const step_state*, T*>
      gradient_sums{"group_norm", "group_norm_sums", of};

  template <class F>
  static void each(const F& f) {
    f(sums), f(moments), f(gradient_sums);
  }
};

template <class T>
struct batch_norm_kernels {
  static constexpr const char* header = "batch_norm";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<index_t, index_t, std::uint32_t, const T*, const T*, const T*, T*> forward{header,
                                                                                                     "batch_norm", of};
  static constexpr kernel<index_t, index_t, std::uint32_t, const T*, const T*, const T*, const T*, const T*, const T*,
                          const T*, T*>
      backward{header, "batch_norm_backward", of};
  static constexpr kernel<T, index_t, index_t, std::uint32_t, const T*, const T*, const T*, const T*, const T*, T*>
      inference{header, "batch_norm_inference", of};
  static constexpr kernel<T, index_t, index_t, std::uint32_t, const T*, const T*, const T*, const T*, const T*,
                          const T*, T*, T*>
      fold{header, "fold_batch_norm", of};

  template <class F>
  static void each(const F& f) {
    f(forward), f(backward), f(inference), f(fold);
  }
};

template <class T>
struct group_norm_kernels {
  static constexpr const char* header = "group_norm";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<T, grouped_images, std::uint32_t, const T*, const T*, const T*, T*, T*, T*> forward{
      header, "group_norm", of};
  static constexpr kernel<grouped_images, std::uint32_t, const T*, const T*, const T*, const T*, const T*, T*> backward{
      header, "group_norm_backward", of};

  template <class F>
  static void each(const F& f) {
    f(forward), f(backward);
  }
};

template <class T>
struct depthwise_kernels {
  static constexpr const char* header = "depthwise";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<windows_argument, divisor, divisor, const T*, const T*, const T*, T*> forward{
      header, "depthwise_conv2d", of};
  static constexpr kernel<windows_argument, index_t, const T*, const T*, T*> backward_data{
      header, "depthwise_conv2d_backward_data", of};
  static constexpr kernel<windows_argument, divisor, divisor, std::uint32_t, const T*, const T*, compute_t<T>*> sums{
      header, "depthwise_conv2d_sums", of};

  template <class F>
  static void each(const F& f) {
    f(forward), f(backward_data), f(sums);
  }
};

template <class T>
struct channel_kernels {
  static constexpr const char* header = "channels";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<index_t, divisor, index_t, index_t, const T*, index_t, T*, index_t> shift{
      header, "shift_channels", of};
  static constexpr kernel<index_t, divisor, index_t, const T*, index_t, const T*, index_t, T*, index_t> concat{
      header, "concat_channels", of};

  template <class F>
  static void each(const F& f) {
    f(shift), f(concat);
  }
};

template <class T>
struct upsample_kernels {
  static constexpr const char* header = "upsample";
  static constexpr const char* of = element_word<T>;
  static constexpr kernel<enlarged_images, upsampling, const T*, T*> forward{header, "upsample", of};
  static constexpr kernel<enlarged_images, upsampling, const T*, T*> backward{header, "upsample_backward", of};

  template <class F>
  static void each(const F& f) {
    f(forward), f(backward);
  }
};

/// Calls f(kernel) for every kernel of elements T.
template <class T, class F>
void each_image_kernel(const F& f) {
  pooling_kernels<T>::each(f);
  column_kernels<T>::each(f);
  statistics_kernels<compute_t<T>, T>::each(f);
  if constexpr (computes_as_stored<T>) batch_norm_kernels<T>::each(f), group_norm_kernels<T>::each(f);
  depthwise_kernels<T>::each(f);
  channel_kernels<T>::each(f);
  upsample_kernels<T>::each(f);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
