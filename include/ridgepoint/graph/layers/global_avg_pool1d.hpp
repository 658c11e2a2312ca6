// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/pool.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// The mean of each feature over all steps: (t, width) → (width).
///
/// It is the global average of images of height one: the same calls on the same memory.
/// Example: tokens | nn::embedding{.vocabulary = 20'000, .width = 50} | nn::global_avg_pool1d{} | nn::dense{.units = 1}
struct global_avg_pool1d {
  static constexpr std::string_view name = "global_avg_pool1d";

  /// Throws: shape_error for an input that is no sequence.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] static pool2d_geometry whole(const lowering& to);
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::global_avg_pool1d>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/global_avg_pool1d-inl.hpp>
#endif
