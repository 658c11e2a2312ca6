// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/graph.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace nn {

/// y = a + b of equal extents: where a residual branch joins. Both gradients are the output's: nothing to compute.
struct add {
  static constexpr std::string_view name = "add";

  /// Throws: shape_error unless there are two inputs of equal extents.
  [[nodiscard]] shape output(std::span<const shape> in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

}  // namespace nn

/// a + b as a node.
/// Throws: shape_error if the extents differ; value_error for nodes of different graphs.
/// Example:
///   auto y = rp::add(x, x | nn::dense{.units = 512} | nn::relu{});
[[nodiscard]] node add(const node& a, const node& b);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::add>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/add-inl.hpp>
#endif
