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

/// What holds for a whole plan while it is made.
struct lowering_context {
  plan_builder* builder = nullptr;
  index_t batch = 1;
  std::uint64_t seed = 0;
  bool training = false;
  conv_algorithm convolution = conv_algorithm::automatic;
  element stored = element::f32;   // what inputs, outputs, parameters and gradients hold
  element master = element::f32;   // what must not be rounded more: weights that are learnt, moments, statistics
  slot state = {};                 // the step_state
  slot scale_state = {};           // the same, where gradients are scaled: see loss_scaling
  std::vector<slot> carried = {};  // of all layers
};

/// {batch, extents of one sample}.
[[nodiscard]] inline shape batched(index_t batch, const shape& sample) {
  index_t extents[shape::max_rank + 1] = {batch};
  std::copy(sample.begin(), sample.end(), extents + 1);
  return shape(extents, extents + 1 + sample.rank());
}

/// Turns one layer into calls: what a layer's forward() and backward() are given.
///
/// Slots stand for memory that has no address yet. forward() emits calls that read input() and parameter() and write
/// output(); backward() emits calls that read output_gradient() and write parameter_gradient() and, only where
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
  /// The slots of one node; passes of one plan share them.
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
  /// Tells the layers of a network apart, for random numbers.
  [[nodiscard]] std::uint32_t stream() const noexcept { return node_->stream; }
  [[nodiscard]] slot state() const noexcept { return context_->state; }
  /// How this convolution is computed where its layer is told `own`: as the network is told where that is automatic,
  /// but Winograd's algorithm only where it can be.
  [[nodiscard]] conv_algorithm convolution(conv_algorithm own, const conv2d_geometry& g) const;

  [[nodiscard]] const shape& input_shape(std::size_t i = 0) const { return node_->input_shapes.at(i); }
  [[nodiscard]] const shape& output_shape() const noexcept { return node_->output_shape; }

  [[nodiscard]] std::size_t input_count() const noexcept { return node_->inputs.size(); }
  [[nodiscard]] slot input(std::size_t i = 0) const { return node_->inputs.at(i); }
  [[nodiscard]] slot parameter(std::size_t i) const { return node_->parameters.at(i); }
  /// Whether a group of the training keeps parameter i as it is: a layer does not change it, either.
  [[nodiscard]] bool is_frozen(std::size_t i) const { return i < node_->frozen.size() && node_->frozen[i]; }
  [[nodiscard]] slot output() { return reserve_once(node_->output, node_->output_shape.size(), ".y"); }
  /// The output is memory that exists already: nothing to compute.
  void output_is(slot existing) { node_->output = existing; }

  [[nodiscard]] slot output_gradient() const noexcept { return node_->output_gradient; }
  [[nodiscard]] slot parameter_gradient(std::size_t i) const { return node_->parameter_gradients.at(i); }
  /// Where a parameter that is looked up is learnt: the numbers of the rows that have a gradient, as embedding_rows()
  /// lists them, so many as the batch looks up at most; parameter_gradient(i) is then of these rows. No slot otherwise.
  [[nodiscard]] slot gradient_rows(std::size_t i) const {
    return i < node_->gradient_rows.size() ? node_->gradient_rows[i] : slot{};
  }
  /// False for the data and for everything no parameter comes before.
  [[nodiscard]] bool needs_input_gradient(std::size_t i = 0) const { return node_->wants_input_gradient.at(i); }
  [[nodiscard]] slot input_gradient(std::size_t i = 0) {
    return reserve_once(node_->input_gradients.at(i), node_->input_shapes.at(i).size(), ".dx");
  }
  void input_gradient_is(std::size_t i, slot existing) { node_->input_gradients.at(i) = existing; }

  /// What the values in a slot are.
  [[nodiscard]] element type(slot s) const { return context_->builder->type(s); }

  /// Memory that only this pass uses, for values of the type the plan stores.
  [[nodiscard]] slot scratch(index_t count);
  [[nodiscard]] slot scratch(index_t count, element type);
  /// Memory number i that the forward pass leaves to the backward pass; both get the same slot.
  /// Throws: shape_error if it was asked for before in another size.
  [[nodiscard]] slot saved(std::size_t i, index_t count);
  [[nodiscard]] slot saved(std::size_t i, index_t count, element type);

  /// Memory number i that keeps its values from step to step, zeros at first and after reset_state(): what a layer
  /// carries from one batch to the next. Checkpoints keep it; evaluation and inference have their own.
  [[nodiscard]] slot carried(std::size_t i, index_t count);

  /// Appends a call of the op whose arguments make(addresses) returns; make captures slots and numbers, by value. What
  /// is left empty in `info` is the layer's name, the pass being lowered, and receipt(arguments). What the call reads
  /// and writes follows from operands(arguments).
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
