// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>
#include <ridgepoint/ops/activation.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

/// y = f(x), element by element; in place where nobody else needs x.
void lower_activation(lowering& to, slot x, activation f, double slope = 0.01);
/// dx = f'(x)·dy, from y, or from x where derives_from_input(f).
void lower_activation_backward(lowering& to, slot dx, activation f, double slope = 0.01);

}  // namespace detail

namespace nn {

/// An activation without parameter.
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
/// y = x·Φ(x), exactly. Always a layer of its own: its gradient needs x, which a product that applies it does not keep.
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

/// The activation a layer is, if gemm, dense and conv2d can apply it on the way to memory.
[[nodiscard]] std::optional<activation> fusable_activation(const any_layer& next);
/// The layer with the activation that follows, if it has none yet and can apply that one.
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
/// The gradient of what a layer computes before its activation, from that of its output.
[[nodiscard]] slot gradient_before(lowering& to, activation f, double slope = 0.01);

}  // namespace detail
}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::relu>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::relu6>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::sigmoid>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::tanh>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::hard_sigmoid>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::gelu>;
RIDGEPOINT_EXTERN template struct any_layer::model<nn::leaky_relu>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/activation-inl.hpp>
#endif
