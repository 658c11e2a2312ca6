// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/activation.hpp>
#include <ridgepoint/graph/layers/conv2d.hpp>
#include <ridgepoint/graph/layers/pool.hpp>

/// \file
/// An activation that changes places with the max pooling behind it: the map that it is computed from, and that its
/// gradient is written to, is the pooled one.
///
///   max(f(x₁), f(x₂), …) = f(max(x₁, x₂, …)) for every f that never falls.
///
/// Where two values are equal behind f but not before, another one may be the largest. Gradients are the same where f'
/// is 0 there, as that of relu and relu6 is.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Two layers in other words.
struct exchanged {
  std::optional<any_layer> first;  // none: second does all
  any_layer second;
};
/// `layer` without its activation, then the max pooling `next` with it; or none, if they are no such layers.
[[nodiscard]] std::optional<exchanged> pool_first(const any_layer& layer, const any_layer& next);
#if RIDGEPOINT_DEFINES
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
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
