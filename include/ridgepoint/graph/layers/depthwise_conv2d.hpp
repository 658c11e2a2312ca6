// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/image.hpp>
#include <ridgepoint/ops/depthwise_geometry.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Every channel convolved with filters of its own: (h, w, c) → (oh, ow, c·multiplier); w is (kh, kw, c, multiplier).
/// Example: nn::depthwise_conv2d{.kernel = 3, .stride = 2, .padding = nn::same, .bias = false}
struct depthwise_conv2d {
  static constexpr std::string_view name = "depthwise_conv2d";
  index_t multiplier = 1;
  spatial kernel = 0;  // extents of the window, to be given
  spatial stride = 1;
  padding_rule padding = valid;
  spatial dilation = 1;
  bool bias = true;
  initialiser initial = glorot_uniform;  // of w; b starts at 0

  /// Throws: as conv2d::output().
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] depthwise_geometry geometry(index_t n, const shape& in) const;
  [[nodiscard]] depthwise_geometry geometry(const lowering& to) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::depthwise_conv2d>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/depthwise_conv2d-inl.hpp>
#endif
