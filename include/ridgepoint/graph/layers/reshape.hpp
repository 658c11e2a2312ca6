// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// The same values with other extents: (784) → (28, 28, 1). Moves nothing.
///
/// An image seen as a sequence of its pixels, (h, w, c) → (h·w, c), lets a dense layer compute each of them.
/// Example: nn::dense{.units = 784} | nn::reshape{{28, 28, 1}}
struct reshape {
  static constexpr std::string_view name = "reshape";
  shape extents;  // of one sample

  /// Throws: shape_error unless there are as many values, in at most five extents.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::reshape>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/reshape-inl.hpp>
#endif
