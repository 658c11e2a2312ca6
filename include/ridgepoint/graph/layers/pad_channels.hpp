// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Channels of zeros before and after those of x: (h, w, c) → (h, w, before + c + after), along the innermost extent. A
/// shortcut past layers that have more channels, without weights.
/// Example: rp::add(x | nn::avg_pool{} | nn::pad_channels{.before = 8, .after = 8}, y)
struct pad_channels {
  static constexpr std::string_view name = "pad_channels";
  index_t before = 0, after = 0;

  /// Throws: shape_error for a negative number of channels, an input without extents, or an overflow.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::pad_channels>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/pad_channels-inl.hpp>
#endif
