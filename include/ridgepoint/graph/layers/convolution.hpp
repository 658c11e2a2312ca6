// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include <ridgepoint/graph/layer.hpp>
#include <ridgepoint/graph/layers/elementwise.hpp>
#include <ridgepoint/ops/conv2d.hpp>
#include <ridgepoint/ops/geometry.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Padding around an image: `valid` none, `same` as needed for ⌈extent / stride⌉ outputs, or a number per side.
/// Example: nn::conv2d{.filters = 64, .kernel = 7, .stride = 2, .padding = rp::padding2d{3, 3, 3, 3}}
class padding_rule {
 public:
  constexpr padding_rule() noexcept = default;  // valid
  constexpr padding_rule(padding2d sides) noexcept : sides_(sides) {}
  /// Tag to construct `same`.
  struct as_tensorflow {};
  constexpr explicit padding_rule(as_tensorflow) noexcept : same_(true) {}

  /// Returns the padding of an image. Nonpositive or absurdly large numbers are left to the geometry's check.
  [[nodiscard]] constexpr padding2d of(spatial extent, spatial taps, spatial stride, spatial dilation = 1) const {
    constexpr index_t most = index_t{1} << 30;
    bool sound = true;
    for (const spatial& s : {taps, stride, dilation}) sound = sound && s.h > 0 && s.w > 0 && s.h < most && s.w < most;
    return same_ && sound ? same_padding(extent, taps, stride, dilation) : sides_;
  }
  [[nodiscard]] constexpr bool is_same() const noexcept { return same_; }

 private:
  bool same_ = false;  // first: after two spatial of {2, 2} GCC 12 at -O2 with AVX-512 fills the sides with 2 as well
  padding2d sides_ = {};
};
inline constexpr padding_rule valid{};
inline constexpr padding_rule same{padding_rule::as_tensorflow{}};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {
/// Throws: shape_error unless a sample is (h, w, c).
void check_image(std::string_view layer, const shape& in);

/// Emits the backward passes of a convolution with these arguments, except operands: the gradient of the filter and, if
/// db exists, of the bias, then of the input, if needed.
template <class Weights, class Data>
void lower_convolution_backward(lowering& to, const Weights& weights, const Data& data, const slot& dy,
                                const slot& db) {
  const slot x = to.input(), w = to.parameter(0);
  const slot dw = to.parameter_gradient(0);
  to.add_call({.pass = pass::backward_weights, .shape = to_string(weights.geometry)}, [=](const addresses& at) {
    Weights a = weights;
    a.x = at(x), a.dy = at(dy), a.dw = at(dw), a.db = at(db);
    return a;
  });
  if (!to.needs_input_gradient()) return;
  const slot dx = to.input_gradient();
  to.add_call({.shape = to_string(data.geometry)}, [=](const addresses& at) {
    Data a = data;
    a.dy = at(dy), a.w = at(w), a.dx = at(dx);
    return a;
  });
}
}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Convolution of images: (h, w, c) → (oh, ow, filters); w is (kh, kw, c / groups, filters).
///
/// A relu, leaky_relu, relu6, sigmoid or tanh that follows is fused if nothing else reads x ∗ w + b.
/// Example: nn::conv2d{.filters = 64, .kernel = 3, .padding = nn::same} | nn::relu{}
struct conv2d {
  static constexpr std::string_view name = "conv2d";
  index_t filters = 0;  // required
  spatial kernel = 0;   // extents of the window, required
  spatial stride = 1;
  padding_rule padding = valid;
  spatial dilation = 1;
  index_t groups = 1;  // channel groups with separate filters
  bool bias = true;
  ridgepoint::activation act = ridgepoint::activation::none;  // a fusable one, or leaky_relu
  [[no_unique_address]] named_act activation = {};
  double slope = 0.01;                   // of leaky_relu
  initialiser initial = glorot_uniform;  // of w
  initialiser initial_bias = zeros;
  /// automatic: from the network's options; exact: neither Winograd nor joined.
  conv_algorithm algorithm = conv_algorithm::automatic;

  /// Throws: shape_error for no filters, no kernel, an input that is not an image, a window that does not fit, or
  /// channels not divisible by groups; value_error for a stride, dilation or number of groups < 1.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;
  /// Returns this layer fused with the activation that follows, if supported.
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

/// Convolution of sequences: (t, c) → (outputs, filters); w is (kernel, c / groups, filters).
///
/// Implemented as nn::conv2d on images of height one, including fused activations: the same calls on the same memory.
/// Example: x | nn::conv1d{.filters = 32, .kernel = 3, .padding = rp::padding2d{.left = 2}} | nn::relu{}  // causal
struct conv1d {
  static constexpr std::string_view name = "conv1d";
  index_t filters = 0;  // required
  index_t kernel = 0;   // taps of the window, required
  index_t stride = 1;
  padding_rule padding = valid;  // left is before the first step, right after the last; no top or bottom
  index_t dilation = 1;
  index_t groups = 1;
  bool bias = true;
  ridgepoint::activation act = ridgepoint::activation::none;  // a fusable one, or leaky_relu
  [[no_unique_address]] named_act activation = {};
  double slope = 0.01;                   // of leaky_relu
  initialiser initial = glorot_uniform;  // of w
  initialiser initial_bias = zeros;
  conv_algorithm algorithm = conv_algorithm::automatic;

  /// Throws: as conv2d::output(); shape_error for an input that is not a sequence or a padding above or below.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;
  /// Returns this layer fused with the activation that follows, if supported.
  [[nodiscard]] std::optional<any_layer> absorb(const any_layer& next) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] conv2d of_images() const;
  [[nodiscard]] conv2d_geometry geometry(const lowering& to) const;
};

/// Transposed convolution: (h, w, c) → (oh, ow, filters); w is (kh, kw, filters, c), as in Keras's Conv2DTranspose.
///
/// The forward pass is the input gradient of a convolution from (oh, ow, filters) to (h, w, c); the backward pass is
/// that convolution itself. Output extent along a side of h pixels, for a window that spans k pixels: `same` gives
/// h·stride, `valid` (h − 1)·stride + max(k, stride), explicit padding that much less. With an output_padding, it is
/// (h − 1)·stride + k − padding + output_padding, with a padding of 2·⌊k/2⌋ for `same`.
/// Example: nn::conv2d_transposed{.filters = 32, .kernel = 3, .stride = 2, .padding = nn::same} | nn::relu{}
struct conv2d_transposed {
  static constexpr std::string_view name = "conv2d_transposed";
  index_t filters = 0;  // required
  spatial kernel = 0;   // extents of the window, required
  spatial stride = 1;
  padding_rule padding = valid;
  std::optional<spatial> output_padding = {};  // less than the stride
  spatial dilation = 1;
  bool bias = true;
  ridgepoint::activation act = ridgepoint::activation::none;  // a fusable one
  [[no_unique_address]] named_act activation = {};
  initialiser initial = glorot_uniform;  // of w
  initialiser initial_bias = zeros;
  conv_algorithm algorithm = conv_algorithm::automatic;

  /// Throws: shape_error for no filters, no kernel, an input that is not an image, or an output that no convolution
  /// maps to the input; value_error for a stride or dilation < 1.
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;
  /// Returns this layer fused with the activation that follows, if supported.
  [[nodiscard]] std::optional<any_layer> absorb(const any_layer& next) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  /// Geometry of the reverse convolution: its input is this layer's output.
  [[nodiscard]] conv2d_geometry geometry(index_t n, const shape& in) const;
  [[nodiscard]] conv2d_geometry geometry(const lowering& to) const;
};

/// Convolves every channel with its own filters: (h, w, c) → (oh, ow, c·multiplier); w is (kh, kw, c, multiplier).
/// Example: nn::depthwise_conv2d{.kernel = 3, .stride = 2, .padding = nn::same, .bias = false}
struct depthwise_conv2d {
  static constexpr std::string_view name = "depthwise_conv2d";
  index_t multiplier = 1;
  spatial kernel = 0;  // extents of the window, required
  spatial stride = 1;
  padding_rule padding = valid;
  spatial dilation = 1;
  bool bias = true;
  initialiser initial = glorot_uniform;  // of w; b starts at 0

  /// Throws: as conv2d::output().
  [[nodiscard]] shape output(const shape& in) const;
  [[nodiscard]] std::vector<parameter> parameters(const shape& in) const;

  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] depthwise_geometry geometry(index_t n, const shape& in) const;
  [[nodiscard]] depthwise_geometry geometry(const lowering& to) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::conv2d>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::conv1d>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::conv2d_transposed>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::depthwise_conv2d>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/convolution-inl.hpp>
#endif
