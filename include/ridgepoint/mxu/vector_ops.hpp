// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/mxu.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/all.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace systolic {

/// Ops without a product, or with one that would leave the array almost empty (depthwise convolution: a column of the
/// array for each channel): the vector unit's.
using vector_ops = decltype(all_ops<float>{} + untyped_ops{} - product_ops<float>{} +
                            type_list<depthwise_conv2d_args<float>, depthwise_conv2d_backward_data_args<float>,
                                      depthwise_conv2d_backward_weights_args<float>>{});

}  // namespace systolic

/// In fp32 on the host's own kernels; where the host has none yet, by definition.
template <backend Host, class Args>
  requires(systolic::vector_ops::contains<Args>)
void execute(const mxu<Host>& on, const Args& args) {
  if constexpr (executes<Host, Args>) execute(on.host(), args);
  else execute(reference, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
