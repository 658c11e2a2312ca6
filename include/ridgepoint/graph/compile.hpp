// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include <ridgepoint/graph/graph.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/ops/add.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A parameter of a compiled network: where it is and how it starts.
template <scalar T>
struct planned_parameter {
  std::string name;  // "dense_1.w"
  parameter spec;
  slot<T> values, gradient;
};

/// All trainable parameters of one layer, which follow one another in memory, and what the optimiser remembers of them.
template <scalar T>
struct planned_block {
  std::string layer;
  index_t size = 0;
  slot<T> values = {}, gradient = {};
  std::array<slot<T>, 2> moments = {};
};

/// A plan and the slots that are filled and read from outside.
template <scalar T, class Target = std::int32_t>
struct compiled {
  ridgepoint::plan plan;
  index_t batch = 1;
  std::vector<slot<T>> inputs;
  std::vector<shape> input_shapes;  // of one sample
  slot<T> output;
  shape output_shape;  // of one sample
  slot<Target> targets;
  index_t targets_per_sample = 0;
  slot<step_state> state;
  std::vector<planned_parameter<T>> parameters;
  std::vector<planned_block<T>> blocks;

  /// Number of trainable values: what published parameter counts count.
  [[nodiscard]] index_t trainable_size() const noexcept {
    index_t sum = 0;
    for (const planned_block<T>& block : blocks) sum += block.size;
    return sum;
  }
};

namespace detail {

/// What a plan is for.
enum class purpose { inference, training };

/// Makes plans of the part of a graph that an output depends on.
template <scalar T>
class compiler {
 public:
  /// Throws: value_error if output is not of this graph or batch < 1; shape_error if an extent does not fit.
  compiler(const graph& net, const node& output, const compile_options& options, purpose to)
      : net_(net),
        context_{.builder = &builder_,
                 .batch = options.batch,
                 .seed = options.seed,
                 .training = to == purpose::training,
                 .state = {}} {
    require<value_error>(options.batch >= 1, "compile: batch is ", options.batch, "; must be >= 1");
    record_of_.resize(net.nodes().size(), -1);
    collect(net.index_of(output));
    context_.state = builder_.template reserve<step_state>(memory_region::batch, 1, "state");
    for (record& r : records_) reserve_parameters(r);
    for (record& r : records_) forward(r);
  }
  compiler(const compiler&) = delete;
  compiler& operator=(const compiler&) = delete;

  [[nodiscard]] compiled<T> inference() {
    builder_.keep(records_.back().slots.output);
    compiled<T> made = finish<std::int32_t>({}, 0);
    made.plan.constant_parameters = true;
    return made;
  }

  /// Forward and loss; with the backward pass and the update if the optimiser is given.
  template <class Loss, class... Optimiser>
  [[nodiscard]] auto with_loss(const Loss& loss, const Optimiser&... optimiser) {
    using target = typename Loss::template target<T>;
    record& out = records_.back();
    const index_t per_sample = loss.targets(out.sample);
    const auto targets =
        builder_.template reserve<target>(memory_region::batch, checked_mul(context_.batch, per_sample), "targets");
    slot<T> gradient;
    if (context_.training)
      gradient = builder_.template reserve<T>(memory_region::arena, out.slots.output_shape.size(), "loss.dy");
    loss.lower(loss_slots<T, target>{.builder = &builder_,
                                     .output_shape = out.slots.output_shape,
                                     .output = out.slots.output,
                                     .gradient = gradient,
                                     .target = targets,
                                     .state = context_.state});
    out.contributions.push_back(gradient);
    (backward(optimiser), ...);
    return finish<target>(targets, per_sample);
  }

 private:
  /// A node of the graph that the output depends on, or several that one layer computes.
  struct record {
    std::optional<any_layer> layer;
    shape sample;                     // its output, without the batch
    std::vector<std::size_t> inputs;  // records
    typename lowering<T>::node_slots slots;
    std::size_t block = 0, block_end = 0;  // of blocks_: none or one
    bool needs_gradient = false;           // a parameter is here or before
    std::vector<slot<T>> contributions;    // to the gradient of its output, one per use
  };

  /// Node `last` and all it depends on, inputs first, and how often each is read.
  void order(int last, std::vector<int>& sorted, std::vector<int>& uses) const {
    std::vector<bool> seen(uses.size());
    std::vector<std::pair<int, std::size_t>> open = {{last, 0}};  // a node, and how many inputs are done
    while (!open.empty()) {
      auto& [v, done] = open.back();
      const std::vector<int>& inputs = node_at(v).inputs;
      if (done == inputs.size()) {
        sorted.push_back(v);
        open.pop_back();
        continue;
      }
      const int in = inputs[done++];
      ++uses[static_cast<std::size_t>(in)];
      if (seen[static_cast<std::size_t>(in)]) continue;
      seen[static_cast<std::size_t>(in)] = true;
      open.emplace_back(in, 0);
    }
  }
  [[nodiscard]] const graph_node& node_at(int v) const { return net_.nodes()[static_cast<std::size_t>(v)]; }
  [[nodiscard]] int& record_of(int v) { return record_of_[static_cast<std::size_t>(v)]; }

  /// One record per node; a layer whose only reader it can absorb takes the reader's place.
  void collect(int output) {
    std::vector<int> sorted, uses(record_of_.size());
    order(output, sorted, uses);
    for (const int v : sorted) {
      const graph_node& n = node_at(v);
      if (n.inputs.size() == 1 && uses[static_cast<std::size_t>(n.inputs[0])] == 1) {
        record& before = records_[static_cast<std::size_t>(record_of(n.inputs[0]))];
        if (const auto both = before.layer ? before.layer->absorb(*n.layer) : std::nullopt) {
          before.layer = both;
          before.sample = n.output;
          record_of(v) = record_of(n.inputs[0]);
          continue;
        }
      }
      record added{.layer = n.layer, .sample = n.output, .inputs = {}, .slots = {}, .contributions = {}};
      added.slots.name = n.name;
      added.slots.stream = static_cast<std::uint32_t>(v);
      for (const int in : n.inputs) added.inputs.push_back(static_cast<std::size_t>(record_of(in)));
      record_of(v) = static_cast<int>(records_.size());
      records_.push_back(std::move(added));
    }
  }

  void reserve_parameters(record& r) {
    r.slots.output_shape = batched(context_.batch, r.sample);
    std::vector<shape> samples;
    for (const std::size_t in : r.inputs) {
      samples.push_back(records_[in].sample);
      r.slots.input_shapes.push_back(records_[in].slots.output_shape);
      r.needs_gradient = r.needs_gradient || records_[in].needs_gradient;
      r.slots.wants_input_gradient.push_back(records_[in].needs_gradient);
    }
    r.slots.input_gradients.resize(r.inputs.size());
    r.block = r.block_end = blocks_.size();
    const std::vector<parameter> specs = r.layer ? r.layer->parameters(samples) : std::vector<parameter>{};
    if (specs.empty()) return;

    planned_block<T> block{.layer = r.slots.name};
    for (const parameter& p : specs)
      if (p.trainable) block.size = checked_add(block.size, p.extents.size());
    block.values = builder_.template reserve<T>(memory_region::parameters, block.size, r.slots.name);
    if (context_.training)
      block.gradient = builder_.template reserve<T>(memory_region::gradients, block.size, r.slots.name + ".gradient");
    index_t first = 0;
    for (const parameter& p : specs) {
      const index_t count = p.extents.size();
      const std::string name = concat(r.slots.name, '.', p.name);
      r.slots.parameters.push_back(p.trainable ? builder_.part(block.values, first, count, name)
                                               : builder_.template reserve<T>(memory_region::parameters, count, name));
      r.slots.parameter_gradients.push_back(context_.training && p.trainable
                                                ? builder_.part(block.gradient, first, count, name + ".gradient")
                                                : slot<T>{});
      parameters_.push_back({name, p, r.slots.parameters.back(), r.slots.parameter_gradients.back()});
      first += p.trainable ? count : 0;
    }
    if (block.size == 0) return;
    blocks_.push_back(block);
    r.block_end = blocks_.size();
    r.needs_gradient = true;
  }

  void forward(record& r) {
    if (!r.layer) {
      r.slots.output = builder_.template reserve<T>(memory_region::batch, r.slots.output_shape.size(), r.slots.name);
      inputs_.push_back(r.slots.output);
      input_shapes_.push_back(r.sample);
      return;
    }
    for (const std::size_t in : r.inputs) r.slots.inputs.push_back(records_[in].slots.output);
    lowering<T> to(context_, r.slots, pass::forward);
    r.layer->forward(to);
    require<value_error>(r.slots.output.exists(), r.slots.name,
                         ": forward() has no output; must write output() or name it");
  }

  /// Backward pass in reverse order. Each layer's weights are updated as soon as nothing reads them any more, while
  /// they and their gradient are in cache.
  template <class Optimiser>
  void backward(const Optimiser& optimiser) {
    require<value_error>(!blocks_.empty(), "train: the output depends on no parameter; must depend on at least 1");
    for (std::size_t i = records_.size(); i-- > 0;) {
      record& r = records_[i];
      if (!r.needs_gradient) continue;
      r.slots.output_gradient = sum(r);
      lowering<T> to(context_, r.slots, pass::backward_data);
      r.layer->backward(to);
      for (std::size_t in = 0; in < r.inputs.size(); ++in) {
        if (!r.slots.wants_input_gradient[in]) continue;
        require<value_error>(r.slots.input_gradients[in].exists(), r.slots.name,
                             ": backward() has no gradient of input ", in, "; must write input_gradient() or name it");
        records_[r.inputs[in]].contributions.push_back(r.slots.input_gradients[in]);
      }
      for (std::size_t b = r.block; b < r.block_end; ++b) update(blocks_[b], optimiser);
    }
    builder_.emit({.layer = "step", .pass = pass::update, .shape = "1"},
                  [state = context_.state, schedule = schedule_of(optimiser)](const addresses& at) {
                    return advance_args{.state = at(state), .schedule = schedule};
                  });
  }

  /// The gradients that the readers of r's output sent back, added up in a fixed order.
  [[nodiscard]] slot<T> sum(const record& r) {
    slot<T> total = r.contributions.at(0);
    for (std::size_t c = 1; c < r.contributions.size(); ++c) {
      const index_t size = r.slots.output_shape.size();
      const slot<T> a = total, b = r.contributions[c];
      const slot<T> y = builder_.template reserve<T>(memory_region::arena, size, r.slots.name + ".dy");
      builder_.emit({.layer = r.slots.name, .pass = pass::backward_data, .shape = to_string(r.slots.output_shape)},
                    [=](const addresses& at) { return add_args<T>{.size = size, .a = at(a), .b = at(b), .y = at(y)}; });
      total = y;
    }
    return total;
  }

  template <class Optimiser>
  void update(planned_block<T>& block, const Optimiser& optimiser) {
    for (std::size_t m = 0; m < Optimiser::moments.size(); ++m)
      block.moments[m] = builder_.template reserve<T>(memory_region::moments, block.size,
                                                      concat(block.layer, '.', Optimiser::moments[m].name));
    optimiser.lower(update_slots<T>{.builder = &builder_,
                                    .layer = block.layer,
                                    .size = block.size,
                                    .weights = block.values,
                                    .gradient = block.gradient,
                                    .moments = block.moments,
                                    .state = context_.state});
  }

  template <class Target>
  [[nodiscard]] compiled<T, Target> finish(slot<Target> targets, index_t targets_per_sample) {
    return {.plan = builder_.finish(),
            .batch = context_.batch,
            .inputs = inputs_,
            .input_shapes = input_shapes_,
            .output = records_.back().slots.output,
            .output_shape = records_.back().sample,
            .targets = targets,
            .targets_per_sample = targets_per_sample,
            .state = context_.state,
            .parameters = parameters_,
            .blocks = blocks_};
  }

  const graph& net_;
  plan_builder builder_;
  lowering_context context_;
  std::vector<record> records_;  // inputs first, the output last
  std::vector<int> record_of_;   // by node
  std::vector<slot<T>> inputs_;
  std::vector<shape> input_shapes_;
  std::vector<planned_parameter<T>> parameters_;
  std::vector<planned_block<T>> blocks_;
};

// Members that are not inline, so that the archive can hold them.

template <scalar T>
struct plan_without_loss {
  static compiled<T> make(const graph& net, const node& output, const compile_options& options);
};
template <scalar T>
compiled<T> plan_without_loss<T>::make(const graph& net, const node& output, const compile_options& options) {
  return compiler<T>(net, output, options, purpose::inference).inference();
}
/// Of evaluation, or of training where there is an optimiser.
template <scalar T, class Loss, class... Optimiser>
struct plan_with_loss {
  static compiled<T, typename Loss::template target<T>> make(const graph& net, const node& output, const Loss& loss,
                                                             const Optimiser&... optimiser,
                                                             const compile_options& options);
};
template <scalar T, class Loss, class... Optimiser>
compiled<T, typename Loss::template target<T>> plan_with_loss<T, Loss, Optimiser...>::make(
    const graph& net, const node& output, const Loss& loss, const Optimiser&... optimiser,
    const compile_options& options) {
  const purpose to = sizeof...(Optimiser) == 0 ? purpose::inference : purpose::training;
  return compiler<T>(net, output, options, to).with_loss(loss, optimiser...);
}

}  // namespace detail

/// The plan of inference without a backend: shapes, receipts and memory.
template <scalar T>
[[nodiscard]] compiled<T> plan_inference(const graph& net, const node& output, const compile_options& options = {}) {
  return detail::plan_without_loss<T>::make(net, output, options);
}
/// The plan of evaluation: forward and loss.
template <scalar T, class Loss>
  requires loss_for<Loss, T>
[[nodiscard]] auto plan_evaluation(const graph& net, const node& output, const Loss& loss,
                                   const compile_options& options = {}) {
  return detail::plan_with_loss<T, Loss>::make(net, output, loss, options);
}
/// The plan of a training step: forward, loss, backward and update.
/// Example:
///   const auto made = rp::plan_training<float>(net, logits, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 128});
///   made.plan.receipt().matrix_flop / 128                     // training FLOP per sample, nothing executed
template <scalar T, class Loss, class Optimiser>
  requires loss_for<Loss, T> && optimiser_for<Optimiser, T>
[[nodiscard]] auto plan_training(const graph& net, const node& output, const Loss& loss, const Optimiser& optimiser,
                                 const compile_options& options = {}) {
  return detail::plan_with_loss<T, Loss, Optimiser>::make(net, output, loss, optimiser, options);
}

#if RIDGEPOINT_COMPILED
RIDGEPOINT_EXTERN template struct detail::plan_without_loss<float>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::softmax_cross_entropy>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::softmax_cross_entropy, nn::sgd>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::softmax_cross_entropy, nn::momentum>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::softmax_cross_entropy, nn::rmsprop_keras>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::softmax_cross_entropy, nn::rmsprop_tf1>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::softmax_cross_entropy, nn::adam>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::softmax_cross_entropy, nn::adadelta>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::mse>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::mse, nn::sgd>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::mse, nn::momentum>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::mse, nn::rmsprop_keras>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::mse, nn::rmsprop_tf1>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::mse, nn::adam>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::mse, nn::adadelta>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::binary_cross_entropy>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::binary_cross_entropy, nn::sgd>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::binary_cross_entropy, nn::momentum>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::binary_cross_entropy, nn::rmsprop_keras>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::binary_cross_entropy, nn::rmsprop_tf1>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::binary_cross_entropy, nn::adam>;
RIDGEPOINT_EXTERN template struct detail::plan_with_loss<float, nn::binary_cross_entropy, nn::adadelta>;
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
