// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/core/shape.hpp>
#include <ridgepoint/graph/plan_builder.hpp>
#include <ridgepoint/ops/conv2d.hpp>
#include <ridgepoint/ops/step_state.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// State of a plan in construction.
struct lowering_context {
  plan_builder* builder = nullptr;
  index_t batch = 1;
  std::uint64_t seed = 0;
  bool training = false;
  conv_algorithm convolution = conv_algorithm::automatic;
  element stored = element::f32;   // type of inputs, outputs, parameters and gradients
  element master = element::f32;   // type of data that must not be rounded further: master weights, moments, statistics
  slot state = {};                 // the step_state
  slot scale_state = {};           // the same if gradients are scaled: see loss_scaling
  std::vector<slot> carried = {};  // of all layers
};

/// Returns {batch, extents of one sample}.
[[nodiscard]] inline shape batched(index_t batch, const shape& sample) {
  index_t extents[shape::max_rank + 1] = {batch};
  std::copy(sample.begin(), sample.end(), extents + 1);
  return shape(extents, extents + 1 + sample.rank());
}

/// Lowers one layer into calls; the argument of a layer's forward() and backward().
///
/// Slots are handles of memory that has no address yet. forward() emits calls that read input() and parameter() and
/// write output(); backward() emits calls that read output_gradient() and write parameter_gradient() and, only if
/// needs_input_gradient(), input_gradient(). Shapes include the batch.
/// Example (the forward pass of a layer that doubles its input):
///   void forward(rp::lowering& to) const {
///     const rp::slot x = to.input(), y = to.output();
///     const rp::index_t n = to.output_shape().size();
///     to.add_call({.shape = to_string(to.output_shape())}, [=](const rp::addresses& at) {
///       return rp::add_args<rp::stored>{.size = n, .a = at(x), .b = at(x), .y = at(y)};
///     });
///   }
class lowering {
 public:
  /// The slots of one node, shared by the passes of one plan.
  struct node_slots {
    std::string name;
    std::uint32_t stream = 0;
    shape output_shape;
    std::vector<shape> input_shapes;
    std::vector<slot> inputs, parameters, parameter_gradients, gradient_rows, input_gradients;
    std::vector<bool> wants_input_gradient, frozen;
    slot output, output_gradient;
    std::vector<slot> saved, carried;
  };

  lowering(lowering_context& context, node_slots& node, pass default_pass)
      : context_(&context), node_(&node), pass_(default_pass) {}

  [[nodiscard]] bool training() const noexcept { return context_->training; }
  [[nodiscard]] index_t batch() const noexcept { return context_->batch; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return context_->seed; }
  /// Number of the layer's random stream.
  [[nodiscard]] std::uint32_t stream() const noexcept { return node_->stream; }
  [[nodiscard]] slot state() const noexcept { return context_->state; }
  /// Returns the algorithm of a convolution whose layer asks for `own`: if that is automatic, the network's option, but
  /// Winograd's algorithm only where it applies.
  [[nodiscard]] conv_algorithm convolution(conv_algorithm own, const conv2d_geometry& g) const;

  [[nodiscard]] const shape& input_shape(std::size_t i = 0) const { return node_->input_shapes.at(i); }
  [[nodiscard]] const shape& output_shape() const noexcept { return node_->output_shape; }

  [[nodiscard]] std::size_t input_count() const noexcept { return node_->inputs.size(); }
  [[nodiscard]] slot input(std::size_t i = 0) const { return node_->inputs.at(i); }
  [[nodiscard]] slot parameter(std::size_t i) const { return node_->parameters.at(i); }
  /// Returns true if a parameter group freezes parameter i: the layer must not change it, either.
  [[nodiscard]] bool is_frozen(std::size_t i) const { return i < node_->frozen.size() && node_->frozen[i]; }
  [[nodiscard]] slot output() { return reserve_once(node_->output, node_->output_shape.size(), ".y"); }
  /// Makes existing memory the output: nothing to compute.
  void output_is(slot existing) { node_->output = existing; }

  [[nodiscard]] slot output_gradient() const noexcept { return node_->output_gradient; }
  [[nodiscard]] slot parameter_gradient(std::size_t i) const { return node_->parameter_gradients.at(i); }
  /// Row indices of a looked-up parameter's gradient in training, as listed by embedding_rows(), up to the number of
  /// rows that the batch looks up; parameter_gradient(i) then holds these rows. No slot otherwise.
  [[nodiscard]] slot gradient_rows(std::size_t i) const {
    return i < node_->gradient_rows.size() ? node_->gradient_rows[i] : slot{};
  }
  /// False for the data and for layers without trainable parameters before them.
  [[nodiscard]] bool needs_input_gradient(std::size_t i = 0) const { return node_->wants_input_gradient.at(i); }
  [[nodiscard]] slot input_gradient(std::size_t i = 0) {
    return reserve_once(node_->input_gradients.at(i), node_->input_shapes.at(i).size(), ".dx");
  }
  void input_gradient_is(std::size_t i, slot existing) { node_->input_gradients.at(i) = existing; }

  /// Element type of a slot.
  [[nodiscard]] element type(slot s) const { return context_->builder->type(s); }

  /// Memory that only this pass uses, for values of the stored type.
  [[nodiscard]] slot scratch(index_t count);
  [[nodiscard]] slot scratch(index_t count, element type);
  /// Memory number i that the forward pass saves for the backward pass; both get the same slot.
  /// Throws: shape_error if it was requested before with another size.
  [[nodiscard]] slot saved(std::size_t i, index_t count);
  [[nodiscard]] slot saved(std::size_t i, index_t count, element type);

  /// Memory number i that keeps its values from step to step, zeros at first and after reset_state(): a layer's state
  /// from one batch to the next. Checkpoints include it; evaluation and inference have their own.
  [[nodiscard]] slot carried(std::size_t i, index_t count);

  /// Appends a call of the op whose arguments make(addresses) returns; make captures slots and numbers by value. Empty
  /// fields of `info` default to the layer's name, the current pass, and receipt(arguments). The call's reads and
  /// writes follow from operands(arguments).
  template <class Make>
  void add_call(call_info info, Make make) {
    if (info.layer.empty()) info.layer = node_->name;
    if (info.pass == pass::forward) info.pass = pass_;
    context_->builder->add_call(std::move(info), std::move(make));
  }

 private:
  [[nodiscard]] slot reserve_once(slot& s, index_t count, std::string_view suffix);

  lowering_context* context_;
  node_slots* node_;
  pass pass_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/lowering-inl.hpp>
#endif
