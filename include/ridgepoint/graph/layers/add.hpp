// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/graph.hpp>
#include <ridgepoint/ops/add.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace nn {

/// y = a + b of equal extents: where a residual branch joins. Both gradients are the output's: nothing to compute.
struct add {
  static constexpr std::string_view name = "add";

  /// Throws: shape_error unless there are two inputs of equal extents.
  [[nodiscard]] shape output(std::span<const shape> in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;
};
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION shape add::output(std::span<const shape> in) const {
  require<shape_error>(in.size() == 2, "add: has ", in.size(), " inputs; must have 2");
  require<shape_error>(in[0] == in[1], "add: a is ", in[0], " but b is ", in[1], "; must be equal");
  return in[0];
}
RIDGEPOINT_DEFINITION void add::forward(lowering& to) const {
  const slot a = to.input(0), b = to.input(1), y = to.output();
  to.emit({.shape = to_string(to.output_shape())}, [=, size = to.output_shape().size()](const addresses& at) {
    return add_args<stored>{.size = size, .a = at(a), .b = at(b), .y = at(y)};
  });
}
RIDGEPOINT_DEFINITION void add::backward(lowering& to) const {
  for (const std::size_t i : {0U, 1U})
    if (to.needs_input_gradient(i)) to.input_gradient_is(i, to.output_gradient());
}
#endif

}  // namespace nn

/// a + b as a node.
/// Throws: shape_error if the extents differ; value_error for nodes of different graphs.
/// Example:
///   auto y = rp::add(x, x | nn::dense{.units = 512} | nn::relu{});
[[nodiscard]] node add(const node& a, const node& b);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION node add(const node& a, const node& b) {
  const node inputs[] = {a, b};
  return apply(any_layer(nn::add{}), inputs);
}
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::add>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif
