// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/fold.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

RIDGEPOINT_DEFINITION std::optional<any_layer> ready_to_fold(const any_layer& layer, const any_layer& next) {
  if (next.target<nn::batch_norm>() == nullptr) return std::nullopt;
  const auto biased = [](auto with_bias) {
    with_bias.bias = true;
    return any_layer(with_bias);
  };
  if (const auto* conv = layer.target<nn::conv2d>(); conv != nullptr && conv->act == activation::none)
    return biased(*conv);
  if (const auto* dense = layer.target<nn::dense>(); dense != nullptr && dense->act == activation::none)
    return biased(*dense);
  if (const auto* conv = layer.target<nn::depthwise_conv2d>()) return biased(*conv);
  return std::nullopt;
}
RIDGEPOINT_DEFINITION bool takes_residual(const any_layer& layer, const any_layer& next) {
  const auto* const conv = layer.target<nn::conv2d>();
  return conv != nullptr && conv->act == activation::none && next.target<nn::add>() != nullptr;
}
RIDGEPOINT_DEFINITION folded_parameters fold_for_parameters(plan_builder& builder, const std::string& layer,
                                                            const any_layer& norm, index_t channels,
                                                            std::span<const slot> plain,
                                                            std::span<const slot> of_norm) {
  const element type = builder.type(plain[0]);
  const index_t size = static_cast<index_t>(builder.bytes(plain[0]) / bytes_of(type)), lines = size / channels;
  const folded_parameters to{builder.reserve(memory_region::parameters, type, size, layer + ".w.folded"),
                             builder.reserve(memory_region::parameters, type, channels, layer + ".b.folded")};
  const slot w = plain[0], bias = plain.size() > 1 ? plain[1] : slot{};
  const slot gamma = of_norm[0], beta = of_norm[1], mean = of_norm[2], variance = of_norm[3];
  builder.add_parameter_call({.layer = layer, .shape = concat(lines, 'x', channels)},
                             [=, epsilon = norm.target<nn::batch_norm>()->epsilon](const addresses& at) {
                               return fold_batch_norm_args<stored>{.options = {.epsilon = epsilon},
                                                                   .lines = lines,
                                                                   .channels = channels,
                                                                   .w = at(w),
                                                                   .bias = at(bias),
                                                                   .gamma = at(gamma),
                                                                   .beta = at(beta),
                                                                   .mean = at(mean),
                                                                   .variance = at(variance),
                                                                   .folded_w = at(to.w),
                                                                   .folded_bias = at(to.bias)};
                             });
  return to;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
