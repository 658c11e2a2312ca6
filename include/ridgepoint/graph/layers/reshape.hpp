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
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION shape reshape::output(const shape& in) const {
  require<shape_error>(in.size() == extents.size(), "reshape: extents are ", extents, ", ", extents.size(),
                       " values; must have the ", in.size(), " of the input ", in);
  require<shape_error>(extents.rank() < shape::max_rank, "reshape: extents are ", extents, "; must be at most ",
                       shape::max_rank - 1);
  return extents;
}
RIDGEPOINT_DEFINITION void reshape::forward(lowering& to) const { to.output_is(to.input()); }
RIDGEPOINT_DEFINITION void reshape::backward(lowering& to) const {
  if (to.needs_input_gradient()) to.input_gradient_is(0, to.output_gradient());
}
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::reshape>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif
