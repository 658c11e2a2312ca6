// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include <ridgepoint/graph/layers/activation.hpp>
#include <ridgepoint/graph/layers/image.hpp>
#include <ridgepoint/ops/conv2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Transposed convolution: (h, w, c) → (oh, ow, filters); w is (kh, kw, filters, c), as Keras's Conv2DTranspose has it.
///
/// Forward it is the gradient for the input of a convolution from (oh, ow, filters) to (h, w, c), backward that
/// convolution itself. Along a side of h pixels, with a window that reaches over k pixels:
/// `same` gives h·stride, `valid` (h − 1)·stride + max(k, stride), padding by side as many less. With an output_padding
/// it is (h − 1)·stride + k less the padding, 2·⌊k/2⌋ for `same`, and so much more.
/// Example: nn::conv2d_transposed{.filters = 32, .kernel = 3, .stride = 2, .padding = nn::same} | nn::relu{}
struct conv2d_transposed {
  static constexpr std::string_view name = "conv2d_transposed";
  index_t filters = 0;  // to be given
  spatial kernel = 0;   // extents of the window, to be given
  spatial stride = 1;
  padding_rule padding = valid;
  std::optional<spatial> output_padding = {};  // below the stride
  spatial dilation = 1;
  bool bias = true;
  ridgepoint::activation act = ridgepoint::activation::none;  // a fusable one
  [[no_unique_address]] named_act activation = {};
  initialiser initial = glorot_uniform;  // of w
  initialiser initial_bias = zeros;
  conv_algorithm algorithm = conv_algorithm::automatic;

  /// Throws: shape_error for no filters, no kernel, an input that is no image, or an output that no convolution takes
  /// back to it; value_error for a stride or dilation < 1.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;
  /// This layer with the activation that follows, if it can apply it.
  [[nodiscard]] std::optional<any_layer> absorb(const any_layer& next) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  /// Of the convolution that leads back: its input is this layer's output.
  [[nodiscard]] conv2d_geometry geometry(index_t n, const shape& in) const;
  [[nodiscard]] conv2d_geometry geometry(const lowering& to) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::conv2d_transposed>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/conv2d_transposed-inl.hpp>
#endif
