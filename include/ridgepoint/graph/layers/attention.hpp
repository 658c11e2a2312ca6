// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/graph.hpp>
#include <ridgepoint/graph/layers/dense.hpp>
#include <ridgepoint/graph/layers/recurrent.hpp>
#include <ridgepoint/ops/attention.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace nn {

/// Scaled dot-product attention of `heads` heads, without projections. Of one input, queries, keys and values side by
/// side: (t, 3·width) → (t, width). Of two, queries, and keys and values side by side: (t, width), (s, 2·width) →
/// (t, width). For the backward pass it keeps one number per step and head.
struct attention {
  static constexpr std::string_view name = "attention";
  index_t heads = 1;  // the width is a multiple
  bool causal = false;

  /// Throws: shape_error unless these are one or two sequences of such widths.
  [[nodiscard]] shape output(const shape& in) const { return output(std::span(&in, 1)); }
  [[nodiscard]] shape output(std::span<const shape> in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};

/// attention between projections without bias, as in a Transformer: x | {.heads = 8} attends to itself, its three
/// projections one product; multi_head_attention(x, memory, {.heads = 8}) to a memory.
struct multi_head_attention {
  index_t heads = 8;
  bool causal = false;

  friend node operator|(const node& x, const multi_head_attention& of) {
    require<shape_error>(x.extents().rank() == 2, "multi_head_attention: input is ", x.extents(),
                         "; must be steps x features");
    const index_t width = x.extents()[-1];
    return x | of.projection(3 * width) | attention{.heads = of.heads, .causal = of.causal} | of.projection(width);
  }
  /// As Glorot has each projection, however many are side by side.
  [[nodiscard]] static dense projection(index_t units) {
    return {.units = units, .bias = false, .initial = unit_scaling_uniform};
  }
};

}  // namespace nn

/// x attends to a memory of as many features: queries are projections of x, keys and values of the memory.
/// Throws: shape_error for inputs that are no sequences, or whose width is no multiple of `heads`.
/// Example:
///   auto y = rp::multi_head_attention(x, encoded, {.heads = 8});
[[nodiscard]] node multi_head_attention(const node& x, const node& memory, const nn::multi_head_attention& of);

namespace detail {

/// Where the operands of attention() lie: queries, keys and values in one slot or two, side by side.
struct attention_slots {
  attention_geometry g = {};
  bool itself = true;
  slot log_sums = {}, y = {};
  std::array<slot, 2> in = {}, gradients = {};  // of inputs
  index_t each_bytes = 0;

  [[nodiscard]] static attention_slots of(lowering& to, const nn::attention& layer);
  /// Queries, keys or values: 0, 1, 2.
  template <class U>
  [[nodiscard]] heads_view<U> part(const addresses& at, const std::array<slot, 2>& from, index_t which) const {
    const index_t width = g.heads * g.width, steps = which == 0 ? g.queries : g.keys;
    const index_t row = (itself       ? 3
                         : which == 0 ? 1
                                      : 2) *
                        width,
                  before = itself ? which : std::max<index_t>(which - 1, 0);
    const values_of values{from[itself || which == 0 ? 0 : 1], before * width, each_bytes};
    return {values.at(at), {g.n, steps, g.heads, g.width}, {steps * row, row, g.width, 1}};
  }
  /// y and dy.
  template <class U>
  [[nodiscard]] heads_view<U> whole(const addresses& at, slot from) const {
    return {at(from), {g.n, g.queries, g.heads, g.width}};
  }
  [[nodiscard]] std::string text() const {
    return concat(g.n, 'x', g.queries, 'x', g.keys, " * ", g.heads, 'x', g.width, g.causal ? " causal" : "");
  }
};

}  // namespace detail

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::attention>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#else
#include <ridgepoint/graph/layers/attention-inl.hpp>
#endif
