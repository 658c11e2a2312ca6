// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ridgepoint/graph/layers/convolution.hpp>
#include <ridgepoint/graph/layers/elementwise.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>
#include <ridgepoint/ops/upsample.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

[[nodiscard]] pool2d_geometry pool_geometry(std::string_view layer, index_t n, const shape& in, spatial window,
                                            spatial stride, const nn::padding_rule& padding, rounding_rule rounding);
[[nodiscard]] pool2d_geometry pool_geometry(std::string_view layer, const lowering& to, spatial window, spatial stride,
                                            const nn::padding_rule& padding, rounding_rule rounding);
void lower_max_pool(lowering& to, const pool2d_geometry& g, slot x, slot y, slot index);
void lower_max_pool_backward(lowering& to, const pool2d_geometry& g, slot dy, slot index, slot dx);
void lower_avg_pool(lowering& to, const pool2d_geometry& g, mean_over over);
void lower_avg_pool_backward(lowering& to, const pool2d_geometry& g, mean_over over);

}  // namespace detail

namespace nn {

/// The largest value of each window: (h, w, c) → (oh, ow, c). In training it saves the position, one byte each.
/// Example: nn::max_pool{.window = 3, .stride = 2, .padding = nn::same}
struct max_pool {
  static constexpr std::string_view name = "max_pool";
  spatial window = 2;
  spatial stride = 2;
  padding_rule padding = valid;
  rounding_rule rounding = rounding_rule::down;               // of oh and ow; up is PyTorch's ceil_mode
  ridgepoint::activation act = ridgepoint::activation::none;  // of the largest value; a fusable one
  [[no_unique_address]] named_act activation = {};

  /// Throws: shape_error for an input that is not an image or a window that does not fit; value_error for a stride < 1
  /// or an activation that is not fusable.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

/// The mean of each window, excluding padding or, with mean_over::window, including it: (h, w, c) → (oh, ow, c).
/// Example: nn::avg_pool{.window = 3, .stride = 2, .padding = rp::padding2d{1, 1, 1, 1}, .over = rp::mean_over::window}
struct avg_pool {
  static constexpr std::string_view name = "avg_pool";
  spatial window = 2;
  spatial stride = 2;
  padding_rule padding = valid;
  rounding_rule rounding = rounding_rule::down;  // of oh and ow
  mean_over over = mean_over::image;

  /// Throws: as max_pool::output().
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

/// The mean of each channel over the whole image: (h, w, c) → (c).
struct global_avg_pool {
  static constexpr std::string_view name = "global_avg_pool";

  /// Throws: shape_error for an input that is not an image.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] static pool2d_geometry whole(const lowering& to);
};

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// The mean of each feature over all steps: (t, width) → (width).
///
/// Implemented as global average pooling of images of height one: the same calls on the same memory.
/// Example: tokens | nn::embedding{.vocabulary = 20'000, .width = 50} | nn::global_avg_pool1d{} | nn::dense{.units = 1}
struct global_avg_pool1d {
  static constexpr std::string_view name = "global_avg_pool1d";

  /// Throws: shape_error for an input that is not a sequence.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] static pool2d_geometry whole(const lowering& to);
};

/// The largest value of each channel over the whole image: (h, w, c) → (c). On ties the first one gets the gradient.
///
/// One byte stores the position among up to 256 pixels. A larger image is reduced in two steps: the largest of adjacent
/// windows of up to 16×16, then the largest of these; on ties the first one is then in the first such window.
/// Example: x | nn::global_max_pool{} | nn::dense{.units = 10}
struct global_max_pool {
  static constexpr std::string_view name = "global_max_pool";

  /// Throws: shape_error for an input that is not an image.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] static std::vector<pool2d_geometry> steps(const lowering& to);
};

/// Enlarges images: (h, w, c) → (factor.h·h, factor.w·w, c), with repeated or bilinear pixels.
/// Example: nn::upsample{.factor = 2, .how = upsampling::bilinear}
struct upsample {
  static constexpr std::string_view name = "upsample";
  spatial factor = 2;
  upsampling how = upsampling::nearest;

  /// Throws: shape_error for an input that is not an image, or an overflow; value_error for a factor < 1.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::max_pool>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::avg_pool>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::global_avg_pool>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::global_avg_pool1d>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::global_max_pool>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::upsample>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/pooling-inl.hpp>
#endif
