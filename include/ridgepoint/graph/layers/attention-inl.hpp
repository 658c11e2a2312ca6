// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/attention.hpp>
#include <ridgepoint/graph/layers/recurrent.hpp>
#include <ridgepoint/ops/attention.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

/// Slots of the operands of attention(): queries, keys and values in one slot or two, side by side.
struct attention_slots {
  attention_geometry g = {};
  bool itself = true;
  slot log_sums = {}, y = {};
  std::array<slot, 2> in = {}, gradients = {};  // by input
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

RIDGEPOINT_DEFINITION shape nn::attention::output(std::span<const shape> in) const {
  require<shape_error>(in.size() == 1 || in.size() == 2, "attention: has ", in.size(), " inputs; must have 1 or 2");
  for (const shape& each : in)
    require<shape_error>(each.rank() == 2, "attention: input is ", each, "; must be steps x features");
  const bool itself = in.size() == 1;
  const index_t width = itself ? in[0][1] / 3 : in[0][1];
  require<shape_error>(heads > 0 && width > 0 && width % heads == 0 && (!itself || in[0][1] % 3 == 0),
                       "attention: ", heads, " heads of input ", in[0], "; must be 1 or more of equal widths",
                       itself ? ", queries, keys and values side by side" : "");
  require<shape_error>(itself || in[1][1] == 2 * width, "attention: memory is ", itself ? in[0] : in[1],
                       "; must have keys and values of ", width, " side by side");
  return {in[0][0], width};
}
inline detail::attention_slots detail::attention_slots::of(lowering& to, const nn::attention& layer) {
  const shape &first = to.input_shape(0), &y = to.output_shape();
  attention_slots s;
  s.itself = to.input_count() == 1;
  s.g = {.n = first[0],
         .queries = first[1],
         .keys = s.itself ? first[1] : to.input_shape(1)[1],
         .heads = layer.heads,
         .width = y[-1] / layer.heads,
         .causal = layer.causal};
  for (std::size_t i = 0; i < to.input_count(); ++i) s.in[i] = to.input(i);
  s.y = to.output();
  s.each_bytes = static_cast<index_t>(bytes_of(to.type(s.y)));
  if (to.training()) s.log_sums = to.saved(0, s.g.n * s.g.heads * s.g.queries);
  return s;
}
RIDGEPOINT_DEFINITION void nn::attention::forward(lowering& to) const {
  const auto s = detail::attention_slots::of(to, *this);
  to.add_call({.shape = s.text()}, [=](const addresses& at) {
    return attention_args<stored>{.options = {.causal = s.g.causal},
                                  .q = s.part<const stored>(at, s.in, 0),
                                  .k = s.part<const stored>(at, s.in, 1),
                                  .v = s.part<const stored>(at, s.in, 2),
                                  .y = s.whole<stored>(at, s.y),
                                  .log_sums = at(s.log_sums)};
  });
}
RIDGEPOINT_DEFINITION void nn::attention::backward(lowering& to) const {
  auto s = detail::attention_slots::of(to, *this);
  bool wanted = false;
  for (std::size_t i = 0; i < to.input_count(); ++i) wanted = wanted || to.needs_input_gradient(i);
  if (!wanted) return;
  for (std::size_t i = 0; i < to.input_count(); ++i)  // both gradients are computed even if only one is needed
    s.gradients[i] = to.needs_input_gradient(i) ? to.input_gradient(i) : to.scratch(to.input_shape(i).size());
  to.add_call({.shape = s.text()}, [=, dy = to.output_gradient()](const addresses& at) {
    return attention_backward_args<stored>{.options = {.causal = s.g.causal},
                                           .q = s.part<const stored>(at, s.in, 0),
                                           .k = s.part<const stored>(at, s.in, 1),
                                           .v = s.part<const stored>(at, s.in, 2),
                                           .y = s.whole<const stored>(at, s.y),
                                           .log_sums = at(s.log_sums),
                                           .dy = s.whole<const stored>(at, dy),
                                           .dq = s.part<stored>(at, s.gradients, 0),
                                           .dk = s.part<stored>(at, s.gradients, 1),
                                           .dv = s.part<stored>(at, s.gradients, 2)};
  });
}
RIDGEPOINT_DEFINITION node multi_head_attention(const node& x, const node& memory, const nn::multi_head_attention& of) {
  require<shape_error>(x.extents().rank() == 2, "multi_head_attention: input is ", x.extents(),
                       "; must be steps x features");
  const index_t width = x.extents()[-1];
  const node inputs[] = {x | of.projection(width), memory | of.projection(2 * width)};
  return apply(any_layer(nn::attention{.heads = of.heads, .causal = of.causal}), inputs) | of.projection(width);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
