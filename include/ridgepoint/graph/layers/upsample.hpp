// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/image.hpp>
#include <ridgepoint/ops/upsample.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Larger images: (h, w, c) → (factor.h·h, factor.w·w, c), pixels repeated or blended.
/// Example: nn::upsample{.factor = 2, .how = upsampling::bilinear}
struct upsample {
  static constexpr std::string_view name = "upsample";
  spatial factor = 2;
  upsampling how = upsampling::nearest;

  /// Throws: shape_error for an input that is no image, or an overflow; value_error for a factor < 1.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::upsample>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/upsample-inl.hpp>
#endif
