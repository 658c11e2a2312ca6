// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// y = √width·x + the sinusoids of the steps, (t, width) → (t, width): what tells the steps of an embedding apart.
struct sinusoidal_positions {
  static constexpr std::string_view name = "sinusoidal_positions";
  double scale = 0;  // 0: √width

  /// Throws: shape_error for an input that is no sequence.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
  /// Of an input, with its batch or without.
  [[nodiscard]] double scale_of(const shape& in) const {
    return exactly(scale, 0) ? std::sqrt(static_cast<double>(in[-1])) : scale;
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::sinusoidal_positions>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/sinusoidal_positions-inl.hpp>
#endif
