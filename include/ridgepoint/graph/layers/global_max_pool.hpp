// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ridgepoint/graph/layers/pool.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// The largest value of each channel over the whole image: (h, w, c) → (c). Of equal ones the first gets the gradient.
///
/// A byte remembers which of up to 256 pixels it was. Of a larger image the largest is found in steps: those of windows
/// of at most 16×16 side by side, then the largest of these; the first of equal ones is then one of the first window.
/// Example: x | nn::global_max_pool{} | nn::dense{.units = 10}
struct global_max_pool {
  static constexpr std::string_view name = "global_max_pool";

  /// Throws: shape_error for an input that is no image.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] static std::vector<pool2d_geometry> steps(const lowering& to);
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::global_max_pool>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/global_max_pool-inl.hpp>
#endif
