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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/pool_first-inl.hpp>
#endif
