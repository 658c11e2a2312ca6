// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include <ridgepoint/graph/layer.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Part of an image or a sequence: (h, w, c) → (h, w, count) along the innermost extent, (count, w, c) along axis 0 and
/// (h, count, c) along axis 1, which begins at `first`.
///
/// What comes before the axis are the rows of a matrix, what comes after it lies together: a slice is what the gradient
/// of pad_channels() takes out, and its gradient is padded with zeros.
/// Example: x | nn::slice{.axis = 0, .first = 2, .count = 3}              // rows 2 to 4 of an image
struct slice {
  static constexpr std::string_view name = "slice";
  int axis = -1;                 // of the sample; negative: from the innermost one on
  index_t first = 0, count = 0;  // count to be given

  /// Throws: shape_error for an axis that is not there, and unless 0 ≤ first, 1 ≤ count and first + count fits.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] int axis_of(const shape& sample) const noexcept { return axis < 0 ? sample.rank() + axis : axis; }
  /// The matrix whose columns before … before + narrow − 1 are the slice.
  struct columns {
    index_t rows, wide, before, narrow;
  };
  [[nodiscard]] columns columns_of(const lowering& to) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::slice>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/slice-inl.hpp>
#endif
