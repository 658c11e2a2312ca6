// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/conv2d.hpp>
#include <ridgepoint/ops/conv1d_geometry.hpp>

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
  activation act = activation::none;     // a fusable one, or leaky_relu
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
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION shape conv1d::output(const shape& in) const {
  require<shape_error>(in.rank() == 2, name, ": input is ", in, "; must be steps x features");
  const padding2d sides = padding.of({1, in[0]}, {1, kernel}, {1, stride}, {1, dilation});
  require<shape_error>(sides.top == 0 && sides.bottom == 0, name, ": padding is ", sides.top, " above and ",
                       sides.bottom, " below; must be 0");
  const shape out = of_images().output({1, in[0], in[1]});
  return {out[1], out[2]};
}
RIDGEPOINT_DEFINITION std::vector<parameter> conv1d::parameters(const shape& in) const {
  std::vector<parameter> all = of_images().parameters({1, in[0], in[1]});
  const shape& w = all[0].extents;
  all[0].extents = {w[1], w[2], w[3]};
  return all;
}
RIDGEPOINT_DEFINITION std::optional<any_layer> conv1d::absorb(const any_layer& next) const {
  return detail::with_activation(*this, next);
}
RIDGEPOINT_DEFINITION void conv1d::forward(lowering& to) const { of_images().forward(to, geometry(to)); }
RIDGEPOINT_DEFINITION void conv1d::backward(lowering& to) const { of_images().backward(to, geometry(to)); }
RIDGEPOINT_DEFINITION conv2d conv1d::of_images() const {
  return {.filters = filters,
          .kernel = {1, kernel},
          .stride = {1, stride},
          .padding = padding,
          .dilation = {1, dilation},
          .groups = groups,
          .bias = bias,
          .act = act,
          .slope = slope,
          .initial = initial,
          .initial_bias = initial_bias,
          .algorithm = algorithm};
}
RIDGEPOINT_DEFINITION conv2d_geometry conv1d::geometry(const lowering& to) const {
  const shape& in = to.input_shape();
  return of_images().geometry(in[0], {1, in[1], in[2]});
}
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::conv1d>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif
