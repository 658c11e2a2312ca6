// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/convolution.hpp>
#include <ridgepoint/ops/depthwise_conv2d.hpp>

/// \file
/// depthwise_conv2d() and its gradients as convolutions with a group per channel. Throws: backend_error.
namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace onednn_detail {
template <>
struct library_call<depthwise_conv2d_args<float>> : convolution_forward_call<11, depthwise_conv2d_args<float>> {};
template <>
struct library_call<depthwise_conv2d_backward_data_args<float>>
    : convolution_data_call<12, depthwise_conv2d_backward_data_args<float>> {};
template <>
struct library_call<depthwise_conv2d_backward_weights_args<float>>
    : convolution_weights_call<13, depthwise_conv2d_backward_weights_args<float>> {};
}  // namespace onednn_detail

template <onednn_detail::one_of<depthwise_conv2d_args<float>, depthwise_conv2d_backward_data_args<float>,
                                depthwise_conv2d_backward_weights_args<float>>
              Args>
void execute(const onednn& on, const Args& args) {
  onednn_detail::execute_call(on, args);
}
template <onednn_detail::one_of<depthwise_conv2d_args<float>, depthwise_conv2d_backward_data_args<float>,
                                depthwise_conv2d_backward_weights_args<float>>
              Args>
[[nodiscard]] onednn_prepared prepare(const onednn& on, const Args& args, const prepare_options& = {}) {
  return onednn_detail::prepare_call(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
