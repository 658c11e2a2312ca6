// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/graph.hpp>
#include <ridgepoint/graph/layer.hpp>
#include <ridgepoint/ops/activation.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

/// y = f(x), element by element; in place if nothing else needs x.
void lower_activation(lowering& to, slot x, activation f, double slope = 0.01);
/// dx = f'(x)·dy, from y, or from x where derives_from_input(f).
void lower_activation_backward(lowering& to, slot dx, activation f, double slope = 0.01);

}  // namespace detail

namespace nn {

/// An activation without parameters.
template <activation F>
struct plain_activation {
  static constexpr std::string_view name = to_string(F);

  [[nodiscard]] shape output(const shape& in) const { return in; }
  void forward(lowering& to) const { detail::lower_activation(to, to.input(), F); }
  void backward(lowering& to) const {
    if (to.needs_input_gradient()) detail::lower_activation_backward(to, to.input_gradient(), F);
  }
};

/// y = max(x, 0)
struct relu : plain_activation<activation::relu> {};
/// y = min(max(x, 0), 6)
struct relu6 : plain_activation<activation::relu6> {};
/// y = 1 / (1 + e^−x)
struct sigmoid : plain_activation<activation::sigmoid> {};
/// y = tanh(x)
struct tanh : plain_activation<activation::tanh> {};
/// y = min(max(0.2·x + 0.5, 0), 1)
struct hard_sigmoid : plain_activation<activation::hard_sigmoid> {};
/// y = x·Φ(x), exactly. Never fused: its gradient needs x, which a fused product does not keep.
struct gelu : plain_activation<activation::gelu> {};

/// y = x > 0 ? x : slope·x
struct leaky_relu {
  static constexpr std::string_view name = "leaky_relu";
  double slope = 0.01;  // 0 ≤ slope < ∞

  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

}  // namespace nn

namespace detail {

/// Returns the activation of a layer, if gemm, dense and conv2d can fuse it.
[[nodiscard]] std::optional<activation> fusable_activation(const any_layer& next);
/// Returns the layer fused with the activation that follows, if it has none yet and supports that one.
template <class Layer>
[[nodiscard]] std::optional<any_layer> with_activation(Layer layer, const any_layer& next) {
  if (layer.act != activation::none) return std::nullopt;
  if constexpr (requires { layer.slope; })
    if (const auto* leaky = next.target<nn::leaky_relu>()) {
      layer.act = activation::leaky_relu, layer.slope = leaky->slope;
      return layer;
    }
  const auto f = fusable_activation(next);
  if (!f) return std::nullopt;
  layer.act = *f;
  return layer;
}
/// Returns the gradient before the layer's activation, from that of its output.
[[nodiscard]] slot gradient_before(lowering& to, activation f, double slope = 0.01);

}  // namespace detail
namespace nn {

/// y = a + b of equal extents: joins a residual branch. Both gradients equal that of the output: nothing to compute.
struct add {
  static constexpr std::string_view name = "add";

  /// Throws: shape_error unless there are two inputs of equal extents.
  [[nodiscard]] shape output(std::span<const shape> in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

}  // namespace nn

/// a + b as a node.
/// Throws: shape_error if the extents differ; value_error for nodes of different graphs.
/// Example:
///   auto y = rp::add(x, x | nn::dense{.units = 512} | nn::relu{});
[[nodiscard]] node add(const node& a, const node& b);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// In training, drops each element with probability `rate` and scales the others by 1/(1 − rate); otherwise y = x at no
/// cost. The backward pass recomputes the mask from its counter instead of reading it.
///
/// With shared_steps all steps of a sequence (t, features) drop the same features: before a recurrent layer it is the
/// `dropout` of Keras' SimpleRNN, LSTM and GRU.
/// Example: x | nn::dropout{.rate = 0.2F, .shared_steps = true} | nn::lstm{.units = 256}
struct dropout {
  static constexpr std::string_view name = "dropout";
  float rate = 0.5F;  // 0 ≤ rate < 1
  bool shared_steps = false;

  /// Throws: value_error unless 0 <= rate < 1; shape_error for shared_steps if the input is not a sequence.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] bool idle(const lowering& to) const;
  void emit_mask(lowering& to, slot src, slot dst) const;
};

/// Probabilities along the innermost extent, for inference. For training, pass the logits to nn::softmax_cross_entropy,
/// which is more accurate than a softmax followed by a logarithm.
struct softmax {
  static constexpr std::string_view name = "softmax";

  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering&) const;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::relu>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::relu6>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::sigmoid>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::tanh>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::hard_sigmoid>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::gelu>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::leaky_relu>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::add>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::dropout>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::softmax>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/elementwise-inl.hpp>
#endif
