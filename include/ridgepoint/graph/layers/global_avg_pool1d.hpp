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
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION shape global_avg_pool1d::output(const shape& in) const {
  require<shape_error>(in.rank() == 2, name, ": input is ", in, "; must be steps x features");
  return {in[1]};
}
RIDGEPOINT_DEFINITION void global_avg_pool1d::forward(lowering& to) const {
  detail::lower_avg_pool(to, whole(to), mean_over::image);
}
RIDGEPOINT_DEFINITION void global_avg_pool1d::backward(lowering& to) const {
  if (to.needs_input_gradient()) detail::lower_avg_pool_backward(to, whole(to), mean_over::image);
}
RIDGEPOINT_DEFINITION pool2d_geometry global_avg_pool1d::whole(const lowering& to) {
  const shape& in = to.input_shape();
  return detail::pool_geometry(name, in[0], {1, in[1], in[2]}, {1, in[1]}, 1, valid, rounding_rule::down);
}
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::global_avg_pool1d>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif
