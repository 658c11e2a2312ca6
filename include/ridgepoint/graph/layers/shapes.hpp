// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include <ridgepoint/graph/graph.hpp>
#include <ridgepoint/graph/layer.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Views the values as one row per sample: (h, w, c) → (h·w·c). Copies nothing.
struct flatten {
  static constexpr std::string_view name = "flatten";

  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

/// Views the values with other extents: (784) → (28, 28, 1). Copies nothing.
///
/// Viewing an image as a sequence of its pixels, (h, w, c) → (h·w, c), applies a dense layer to each pixel.
/// Example: nn::dense{.units = 784} | nn::reshape{{28, 28, 1}}
struct reshape {
  static constexpr std::string_view name = "reshape";
  shape extents;  // of one sample

  /// Throws: shape_error unless the number of values is the same, in up to five extents.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

/// Part of an image or a sequence, from index `first`: (h, w, c) → (h, w, count) along the innermost extent,
/// (count, w, c) along axis 0 and (h, count, c) along axis 1.
///
/// The extents before the axis form the rows of a matrix, those after it are contiguous. A slice uses the gradient of
/// pad_channels(), and its gradient pads with zeros.
/// Example: x | nn::slice{.axis = 0, .first = 2, .count = 3}              // rows 2 to 4 of an image
struct slice {
  static constexpr std::string_view name = "slice";
  int axis = -1;                 // of the sample; negative: counted from the innermost
  index_t first = 0, count = 0;  // count is required

  /// Throws: shape_error for an invalid axis, and unless 0 ≤ first, 1 ≤ count and first + count fits.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] int axis_of(const shape& sample) const noexcept { return axis < 0 ? sample.rank() + axis : axis; }
  /// The matrix whose columns before … before + narrow − 1 form the slice.
  struct columns {
    index_t rows, wide, before, narrow;
  };
  [[nodiscard]] columns columns_of(const lowering& to) const;
};

/// Adds channels of zeros before and after x: (h, w, c) → (h, w, before + c + after), along the innermost extent. It
/// makes a shortcut without weights around layers that add channels.
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

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace nn {

/// Concatenates channels: (h, w, c) and (h, w, d) → (h, w, c + d), along the innermost extent.
struct concat_channels {
  static constexpr std::string_view name = "concat_channels";

  /// Throws: shape_error unless there are two inputs, equal except for the innermost extent.
  [[nodiscard]] shape output(std::span<const shape> in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

}  // namespace nn

/// Concatenates the channels of a and b, as a node.
/// Throws: shape_error if the extents differ in more than the last; value_error for nodes of different graphs.
/// Example:
///   auto y = rp::concat_channels(x, x | nn::conv2d{.filters = 32, .kernel = 3, .padding = nn::same});
[[nodiscard]] node concat_channels(const node& a, const node& b);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::flatten>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::reshape>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::slice>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::pad_channels>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::concat_channels>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/shapes-inl.hpp>
#endif
