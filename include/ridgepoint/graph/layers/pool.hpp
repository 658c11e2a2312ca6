// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/activation.hpp>
#include <ridgepoint/graph/layers/image.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>

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

/// The largest value of each window: (h, w, c) → (oh, ow, c). While training it remembers which it was, a byte each.
/// Example: nn::max_pool{.window = 3, .stride = 2, .padding = nn::same}
struct max_pool {
  static constexpr std::string_view name = "max_pool";
  spatial window = 2;
  spatial stride = 2;
  padding_rule padding = valid;
  rounding_rule rounding = rounding_rule::down;               // of oh and ow; up is PyTorch's ceil_mode
  ridgepoint::activation act = ridgepoint::activation::none;  // of the largest value; a fusable one
  [[no_unique_address]] named_act activation = {};

  /// Throws: shape_error for an input that is no image or that the window does not fit; value_error for a stride < 1 or
  /// an activation that is not fusable.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

/// The mean of each window, without what lies beside the image, or, over windows, with its padding:
/// (h, w, c) → (oh, ow, c).
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

  /// Throws: shape_error for an input that is no image.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] static pool2d_geometry whole(const lowering& to);
};

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::max_pool>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::avg_pool>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::global_avg_pool>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/pool-inl.hpp>
#endif
