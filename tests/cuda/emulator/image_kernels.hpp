// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include <ridgepoint/cuda/device/batch_norm.hpp>
#include <ridgepoint/cuda/device/channels.hpp>
#include <ridgepoint/cuda/device/depthwise.hpp>
#include <ridgepoint/cuda/device/group_norm.hpp>
#include <ridgepoint/cuda/device/pooling.hpp>
#include <ridgepoint/cuda/device/upsample.hpp>
#include <ridgepoint/cuda/runtime/kernels.hpp>

/// Calls add(host kernel, device kernel) for each kernel of ops on images of T; On is T in device code.
template <class T, class On, class Add>
void add_image_kernels(const Add& add) {
  namespace device = ridgepoint_device;
  namespace host = ridgepoint::detail;
  static_assert(offsetof(device::divisor, shift) == offsetof(host::divisor, shift));
  static_assert(offsetof(device::windows, columns) == offsetof(host::windows_argument, columns));
  static_assert(offsetof(device::window_axis, dilation) == offsetof(host::windows_argument::axis, dilation));
  static_assert(offsetof(device::grouped_images, groups) == offsetof(host::grouped_images, groups));
  static_assert(offsetof(device::enlarged_images, larger_columns) == offsetof(host::enlarged_images, larger_columns));

  using pooling = host::pooling_kernels<T>;
  add(pooling::max_pool2d, device::max_pool2d<On>);
  add(pooling::max_pool2d_backward, device::max_pool2d_backward<On>);
  add(pooling::avg_pool2d, device::avg_pool2d<On>);
  add(pooling::avg_pool2d_backward, device::avg_pool2d_backward<On>);
  add(host::column_kernels<T>::gather_columns, device::gather_columns<On>);
  using depthwise = host::depthwise_kernels<T>;
  add(depthwise::forward, device::depthwise_conv2d<On>);
  add(depthwise::backward_data, device::depthwise_conv2d_backward_data<On>);
  add(depthwise::sums, device::depthwise_conv2d_sums<On>);
  using channels = host::channel_kernels<T>;
  add(channels::shift, device::shift_channels<On>);
  add(channels::concat, device::concat_channels<On>);
  using upsample = host::upsample_kernels<T>;
  add(upsample::forward, device::upsample<On>);
  add(upsample::backward, device::upsample_backward<On>);
  using computed = ridgepoint::compute_t<T>;
  using statistics = host::statistics_kernels<computed, T>;
  add(statistics::sums, device::batch_norm_sums<computed, On>);
  add(statistics::moments, device::batch_norm_moments<computed, On>);
  add(statistics::gradient_sums, device::group_norm_sums<computed, On>);
  if constexpr (host::computes_as_stored<T>) {
    using batch_norm = host::batch_norm_kernels<T>;
    add(batch_norm::forward, device::batch_norm<On>);
    add(batch_norm::backward, device::batch_norm_backward<On>);
    add(batch_norm::inference, device::batch_norm_inference<On>);
    add(batch_norm::fold, device::fold_batch_norm<On>);
    using group_norm = host::group_norm_kernels<T>;
    add(group_norm::forward, device::group_norm<On>);
    add(group_norm::backward, device::group_norm_backward<On>);
  }
}
