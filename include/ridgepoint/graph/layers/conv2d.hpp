// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/activation.hpp>
#include <ridgepoint/graph/layers/image.hpp>
#include <ridgepoint/ops/conv2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Convolution of images: (h, w, c) → (oh, ow, filters); w is (kh, kw, c / groups, filters).
///
/// A relu, leaky_relu, relu6, sigmoid or tanh that follows is computed on the way to memory where nothing else reads
/// x ∗ w + b.
/// Example: nn::conv2d{.filters = 64, .kernel = 3, .padding = nn::same} | nn::relu{}
struct conv2d {
  static constexpr std::string_view name = "conv2d";
  index_t filters = 0;  // to be given
  spatial kernel = 0;   // extents of the window, to be given
  spatial stride = 1;
  padding_rule padding = valid;
  spatial dilation = 1;
  index_t groups = 1;  // of channels that see nothing of each other
  bool bias = true;
  ridgepoint::activation act = ridgepoint::activation::none;  // a fusable one, or leaky_relu
  [[no_unique_address]] named_act activation = {};
  double slope = 0.01;                   // of leaky_relu
  initialiser initial = glorot_uniform;  // of w
  initialiser initial_bias = zeros;
  /// automatic: as the network's options tell; exact: neither Winograd's nor joined.
  conv_algorithm algorithm = conv_algorithm::automatic;

  /// Throws: shape_error for no filters, no kernel, an input that is no image, that the window does not fit or whose
  /// channels groups do not divide; value_error for a stride, dilation or number of groups < 1.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;
  /// This layer with the activation that follows, if it can apply it.
  [[nodiscard]] std::optional<any_layer> absorb(const any_layer& next) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  friend struct conv1d;
  void forward(lowering& to, const conv2d_geometry& g) const;
  void backward(lowering& to, const conv2d_geometry& g) const;
  [[nodiscard]] conv2d_geometry geometry(index_t n, const shape& in) const;
  [[nodiscard]] conv2d_geometry geometry(const lowering& to) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::conv2d>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/conv2d-inl.hpp>
#endif
