// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/graph.hpp>
#include <ridgepoint/graph/layers/dense.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace nn {

/// Scaled dot-product attention with `heads` heads, without projections. With one input, queries, keys and values are
/// side by side: (t, 3·width) → (t, width). With two: queries, and keys and values side by side: (t, width),
/// (s, 2·width) → (t, width). It saves one number per step and head for the backward pass.
struct attention {
  static constexpr std::string_view name = "attention";
  index_t heads = 1;  // divides the width
  bool causal = false;

  /// Throws: shape_error unless the inputs are one or two sequences of such widths.
  [[nodiscard]] shape output(const shape& in) const { return output(std::span(&in, 1)); }
  [[nodiscard]] shape output(std::span<const shape> in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

/// Attention between projections without bias, as in a Transformer: x | {.heads = 8} is self-attention, with its three
/// projections in one product; multi_head_attention(x, memory, {.heads = 8}) attends to a memory.
struct multi_head_attention {
  index_t heads = 8;
  bool causal = false;

  friend node operator|(const node& x, const multi_head_attention& of) {
    require<shape_error>(x.extents().rank() == 2, "multi_head_attention: input is ", x.extents(),
                         "; must be steps x features");
    const index_t width = x.extents()[-1];
    return x | of.projection(3 * width) | attention{.heads = of.heads, .causal = of.causal} | of.projection(width);
  }
  /// A projection with Glorot initialisation as if it were separate, even if several are side by side.
  [[nodiscard]] static dense projection(index_t units) {
    return {.units = units, .bias = false, .initial = unit_scaling_uniform};
  }
};

}  // namespace nn

/// Attends from x to a memory with the same number of features: queries are projections of x, keys and values of the
/// memory.
/// Throws: shape_error for inputs that are not sequences, or whose width is not a multiple of `heads`.
/// Example:
///   auto y = rp::multi_head_attention(x, encoded, {.heads = 8});
[[nodiscard]] node multi_head_attention(const node& x, const node& memory, const nn::multi_head_attention& of);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::attention>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/attention-inl.hpp>
#endif
