// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/conv2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Convolution of sequences: (t, c) → (outputs, filters); w is (kernel, c / groups, filters).
///
/// It is nn::conv2d of images of height one, activations that follow included: the same calls on the same memory.
/// Example: x | nn::conv1d{.filters = 32, .kernel = 3, .padding = rp::padding2d{.left = 2}} | nn::relu{}  // causal
struct conv1d {
  static constexpr std::string_view name = "conv1d";
  index_t filters = 0;  // to be given
  index_t kernel = 0;   // taps of the window, to be given
  index_t stride = 1;
  padding_rule padding = valid;  // left is before the first step, right behind the last; no top, no bottom
  index_t dilation = 1;
  index_t groups = 1;
  bool bias = true;
  ridgepoint::activation act = ridgepoint::activation::none;  // a fusable one, or leaky_relu
  [[no_unique_address]] named_act activation = {};
  double slope = 0.01;                   // of leaky_relu
  initialiser initial = glorot_uniform;  // of w
  initialiser initial_bias = zeros;
  conv_algorithm algorithm = conv_algorithm::automatic;

  /// Throws: as conv2d::output(); shape_error for an input that is no sequence or a padding above or below.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;
  /// This layer with the activation that follows, if it can apply it.
  [[nodiscard]] std::optional<any_layer> absorb(const any_layer& next) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] conv2d of_images() const;
  [[nodiscard]] conv2d_geometry geometry(const lowering& to) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::conv1d>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/conv1d-inl.hpp>
#endif
