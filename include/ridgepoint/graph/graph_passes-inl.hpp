// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/graph_passes.hpp>

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

RIDGEPOINT_DEFINITION std::optional<exchanged> pool_first(const any_layer& layer, const any_layer& next) {
  const auto* const pool = next.target<nn::max_pool>();
  if (pool == nullptr || pool->act != activation::none) return std::nullopt;
  const auto* const conv = layer.target<nn::conv2d>();
  const auto act = conv != nullptr ? std::optional(conv->act) : fusable_activation(layer);
  if (act != activation::relu && act != activation::relu6) return std::nullopt;
  nn::max_pool second = *pool;
  second.act = *act;
  if (conv == nullptr) return exchanged{std::nullopt, second};
  nn::conv2d first = *conv;
  first.act = activation::none;
  return exchanged{first, second};
}

RIDGEPOINT_DEFINITION node_order order_of(const graph& net, const std::vector<int>& outputs) {
  node_order made{.sorted = {}, .uses = std::vector<int>(net.nodes().size())};
  std::vector<bool> seen(net.nodes().size());
  std::vector<std::pair<int, std::size_t>> open;  // a node, and the number of inputs visited
  const auto use = [&](int v) {
    const auto at = static_cast<std::size_t>(v);
    ++made.uses[at];
    if (!seen[at]) open.emplace_back(v, 0);
    seen[at] = true;
  };
  for (const int output : outputs) {
    use(output);
    while (!open.empty()) {
      auto& [v, done] = open.back();
      const std::vector<int>& inputs = net.nodes()[static_cast<std::size_t>(v)].inputs;
      if (done < inputs.size()) {
        use(inputs[done++]);
      } else {
        made.sorted.push_back(v);
        open.pop_back();
      }
    }
  }
  return made;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
