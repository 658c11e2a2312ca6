// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/pool_first.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
