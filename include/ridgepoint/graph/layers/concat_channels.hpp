// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/graph.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace nn {

/// The channels of b behind those of a: (h, w, c) and (h, w, d) → (h, w, c + d), along the innermost extent.
struct concat_channels {
  static constexpr std::string_view name = "concat_channels";

  /// Throws: shape_error unless there are two inputs, equal but for the innermost extent.
  [[nodiscard]] shape output(std::span<const shape> in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

}  // namespace nn

/// The channels of b behind those of a, as a node.
/// Throws: shape_error if the extents differ in more than the last; value_error for nodes of different graphs.
/// Example:
///   auto y = rp::concat_channels(x, x | nn::conv2d{.filters = 32, .kernel = 3, .padding = nn::same});
[[nodiscard]] node concat_channels(const node& a, const node& b);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::concat_channels>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/concat_channels-inl.hpp>
#endif
