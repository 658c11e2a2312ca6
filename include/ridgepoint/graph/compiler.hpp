// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>

#include <ridgepoint/graph/compiled.hpp>
#include <ridgepoint/graph/graph.hpp>
#include <ridgepoint/graph/graph_passes.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/parameter_store.hpp>
#include <ridgepoint/ops/add.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The purpose of a plan: inference, with parameters that may be trained elsewhere; a session, which owns its
/// parameters; training.
enum class purpose { inference, session, training };

/// Compiles a plan of the part of a graph that some outputs depend on. Micro-batches follow one another in the plan,
/// each with its own forward and backward pass over the same parameters.
class compiler {
 public:
  /// Throws: value_error for an option out of its domain; shape_error if an extent does not fit.
  compiler(const graph& net, const std::vector<int>& outputs, const compile_options& options, purpose to)
      : net_(net),
        options_(options),
        ranks_(options.exchange == nullptr ? 1 : options.exchange->size()),
        micro_batches_(options.micro_batches / ranks_),
        first_part_(options.exchange == nullptr ? 0 : options.exchange->rank() * micro_batches_),
        precision_(options.precision.value_or(precision::f32)),
        context_{.builder = &builder_,
                 .batch = options.batch,
                 .seed = options.seed,
                 .training = to == purpose::training,
                 .convolution = options.convolution,
                 .stored = storage_of(precision_),
                 .master = master_of(precision_),
                 .state = {}},
        parameters_(context_, options),
        fuses_(to == purpose::session && options.fold && context_.stored == context_.master) {
    require<value_error>(options.batch >= 1, "compile: batch is ", options.batch, "; must be >= 1");
    require<value_error>(options.micro_batches >= 1, "compile: micro_batches is ", options.micro_batches,
                         "; must be >= 1");
    require<value_error>(options.micro_batches % ranks_ == 0, "compile: micro_batches is ", options.micro_batches,
                         " for ", ranks_, " ranks; must be a multiple");
    require<unsupported>(ranks_ == 1 || storage_of(precision_) == master_of(precision_), "compile: training of ",
                         ranks_, " ranks is in ", to_string(precision_), "; must be in f32 or f64");
    require<value_error>(!outputs.empty(), "compile: no output; must have at least 1");
    record_of_.resize(net.nodes().size(), -1);
    collect(outputs);
    for (const int v : outputs) outputs_.push_back(static_cast<std::size_t>(record_of(v)));
    context_.state = builder_.reserve<step_state>(memory_region::batch, 1, "state");
    check(options.scaling);
    if (context_.training && scales_losses(precision_)) context_.scale_state = context_.state;
    wide_context_ = context_;
    wide_context_.stored = context_.master;
    for (record& r : records_) prepare(r);
    for (const record& r : records_)
      if (r.needs_gradient) parameters_.expect(r.home, micro_batches_, r.looked_up);
  }
  compiler(const compiler&) = delete;
  compiler& operator=(const compiler&) = delete;

  /// Returns a plan whose outputs are the last `count`.
  [[nodiscard]] compiled inference(std::size_t count) {
    outputs_.erase(outputs_.begin(), outputs_.end() - static_cast<std::ptrdiff_t>(count));
    std::vector<bool> needed(records_.size());
    for (const std::size_t answer : outputs_) needed[answer] = true;
    for (std::size_t i = records_.size(); i-- > 0;)
      for (const std::size_t in : records_[i].inputs) needed[in] = needed[in] || needed[i];
    for (std::size_t i = 0; i < records_.size(); ++i)
      if (needed[i] || !records_[i].layer) forward(records_[i], 0);
    for (const std::size_t answer : outputs_) builder_.keep(records_[answer].output);
    compiled made = finish();
    made.plan.constant_parameters = true;
    return made;
  }

  /// Adds a loss for the next output.
  void add(const any_loss& loss, double weight) { losses_.push_back({loss, weight}); }

  [[nodiscard]] compiled evaluation() {
    run_forward(0);
    return finish();
  }
  [[nodiscard]] compiled training(const any_optimiser& optimiser) {
    parameters_.set_optimiser(optimiser);
    const std::vector<record> fresh = records_;
    for (index_t part = 0; part < micro_batches_; ++part) {
      if (part > 0) records_ = fresh;
      run_forward(part);
      if (part + 1 == micro_batches_) gather_results();
      run_backward();
    }
    parameters_.update_the_rest();
    builder_.add_call(
        {.layer = "step", .pass = pass::update, .shape = "1"},
        [state = context_.state, schedule = optimiser.schedule(),
         steps_to_grow = context_.scale_state.exists() ? options_.scaling.steps_to_grow : 0](const addresses& at) {
          return advance_args{.state = at(state), .schedule = schedule, .steps_to_grow = steps_to_grow};
        });
    return finish();
  }

 private:
  /// A node of the graph that an output depends on, or several that one layer computes.
  struct record {
    std::optional<any_layer> layer;
    shape sample;  // of its output, without the batch
    element type = element::stored;
    std::vector<std::size_t> inputs;  // records
    lowering::node_slots own_slots;   // in the type of its computation
    slot output;                      // as its readers see it
    int home = -1;                    // the node that owns these parameters
    bool needs_gradient = false;      // true if this node or one before it has a trainable parameter
    index_t looked_up = 0;            // rows of a parameter that a batch reads, if its gradient is a list of rows
    std::vector<slot> contributions;  // to the gradient of its output, one per use
    // For a layer with a folded batch normalisation:
    std::optional<any_layer> unfolded = {}, norm = {};
    int norm_home = -1;  // the node that owns the parameters of the normalisation
  };
  struct weighted_loss {
    any_loss loss;
    double weight;
  };

  [[nodiscard]] const graph_node& node_at(int v) const { return net_.nodes()[static_cast<std::size_t>(v)]; }
  [[nodiscard]] int& record_of(int v) { return record_of_[static_cast<std::size_t>(v)]; }

  /// Creates one record per node; a layer that can absorb its only reader takes the reader's place.
  void collect(const std::vector<int>& outputs) {
    const auto [sorted, uses] = order_of(net_, outputs);
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
      if (fuses_ && (fold(v, uses) || add_within(v, uses))) continue;
      const std::optional<any_layer> other = exchange(v, uses);
      if (other && record_of(v) >= 0) continue;
      record added{.layer = other ? other : n.layer,
                   .sample = n.output,
                   .type = n.type,
                   .inputs = {},
                   .own_slots = {},
                   .output = {},
                   .home = n.home < 0 ? v : n.home,
                   .contributions = {}};
      added.own_slots.name = n.name;
      added.own_slots.stream = static_cast<std::uint32_t>(v);
      for (const int in : n.inputs) added.inputs.push_back(static_cast<std::size_t>(record_of(in)));
      record_of(v) = static_cast<int>(records_.size());
      records_.push_back(std::move(added));
    }
  }

  /// Returns a max pooling that also applies the activation before it, if it is the only reader. It replaces an
  /// activation that is a layer. For inference, an activation fused into a convolution stays there: it costs nothing.
  [[nodiscard]] std::optional<any_layer> exchange(int v, const std::vector<int>& uses) {
    const graph_node& n = node_at(v);
    if (n.inputs.size() != 1 || uses[static_cast<std::size_t>(n.inputs[0])] != 1) return std::nullopt;
    record& before = records_[static_cast<std::size_t>(record_of(n.inputs[0]))];
    const auto both = before.layer ? pool_first(*before.layer, *n.layer) : std::nullopt;
    if (!both || (both->first && !context_.training)) return std::nullopt;
    before.layer = both->first ? both->first : both->second;
    if (!both->first) {
      before.sample = n.output;
      before.own_slots.name = n.name;
      record_of(v) = record_of(n.inputs[0]);
    }
    return both->second;
  }
  /// Folds a batch normalisation into the layer before it, if it is the only reader.
  [[nodiscard]] bool fold(int v, const std::vector<int>& uses) {
    const graph_node& n = node_at(v);
    if (n.inputs.size() != 1 || uses[static_cast<std::size_t>(n.inputs[0])] != 1) return false;
    record& before = records_[static_cast<std::size_t>(record_of(n.inputs[0]))];
    if (!before.layer || before.norm || before.inputs.size() != 1) return false;
    const auto folded = ready_to_fold(*before.layer, *n.layer);
    if (!folded) return false;
    before.unfolded = std::exchange(before.layer, folded);
    before.norm = n.layer;
    before.norm_home = n.home < 0 ? v : n.home;
    record_of(v) = record_of(n.inputs[0]);
    return true;
  }
  /// Fuses a sum into the later of its two layers, if it is the only reader of that layer.
  [[nodiscard]] bool add_within(int v, const std::vector<int>& uses) {
    const graph_node& n = node_at(v);
    if (n.inputs.size() != 2) return false;
    const bool first = record_of(n.inputs[0]) > record_of(n.inputs[1]);
    const int last = n.inputs[first ? 0 : 1], other = n.inputs[first ? 1 : 0];
    record& r = records_[static_cast<std::size_t>(record_of(last))];
    const bool alone = uses[static_cast<std::size_t>(last)] == 1 && r.inputs.size() == 1;
    if (!alone || !r.layer || !takes_residual(*r.layer, *n.layer)) return false;
    r.inputs.push_back(static_cast<std::size_t>(record_of(other)));
    record_of(v) = record_of(last);
    return true;
  }

  /// Sets shapes and parameters.
  void prepare(record& r) {
    r.own_slots.output_shape = batched(context_.batch, r.sample);
    std::vector<shape> samples;
    for (const std::size_t in : r.inputs) {
      samples.push_back(records_[in].sample);
      r.own_slots.input_shapes.push_back(records_[in].own_slots.output_shape);
      r.needs_gradient = r.needs_gradient || records_[in].needs_gradient;
      r.own_slots.wants_input_gradient.push_back(records_[in].needs_gradient);
    }
    r.own_slots.input_gradients.resize(r.inputs.size());
    const auto& trained = r.unfolded ? r.unfolded : r.layer;
    const std::vector<parameter> specs = trained ? trained->parameters(samples) : std::vector<parameter>{};
    if (!specs.empty()) {
      r.own_slots.parameters = parameters_.reserve(r.home, node_at(r.home).name, specs, context_of(r).stored);
      r.own_slots.frozen = parameters_.frozen(r.home);
    }
    for (const parameter& p : specs) r.looked_up = checked_mul(p.looked_up, context_.batch);
    if (r.norm) {
      const std::vector<slot> of_norm = parameters_.reserve(
          r.norm_home, node_at(r.norm_home).name, r.norm->parameters(std::span(&r.sample, 1)), context_.master);
      const folded_parameters folded =
          fold_for_parameters(builder_, r.own_slots.name, *r.norm, r.sample[-1], r.own_slots.parameters, of_norm);
      r.own_slots.parameters = {folded.w, folded.bias};
    }
    r.needs_gradient = r.needs_gradient || parameters_.learns(r.home);
  }

  void forward(record& r, index_t part) {
    r.own_slots.stream += static_cast<std::uint32_t>(static_cast<std::size_t>(first_part_ + part) * record_of_.size());
    if (!r.layer) {
      const element type = r.type == element::stored ? context_.stored : r.type;
      const std::size_t number = input_++;
      if (part == 0) {
        inputs_.push_back(fed(type, r.own_slots.output_shape.size(), r.own_slots.name));
        input_shapes_.push_back(r.sample);
      }
      r.output = part_of(inputs_[number], part, r.own_slots.output_shape.size(), r.own_slots.name);
      return;
    }
    read_inputs(r, pass::forward);
    lowering to(context_of(r), r.own_slots, pass::forward);
    r.layer->forward(to);
    require<value_error>(r.own_slots.output.exists(), r.own_slots.name,
                         ": forward() has no output; must write output() or name it");
    r.output = converted(builder_, r.own_slots.output, context_.stored, {.layer = r.own_slots.name});
  }
  [[nodiscard]] lowering_context& context_of(const record& r) {
    return r.layer && r.layer->wide() ? wide_context_ : context_;
  }
  /// Sets the layer's inputs, converted to its type.
  void read_inputs(record& r, pass which) {
    r.own_slots.inputs.clear();
    for (const std::size_t in : r.inputs)
      r.own_slots.inputs.push_back(
          converted(builder_, records_[in].output, context_of(r).stored, {.layer = r.own_slots.name, .pass = which}));
  }
  /// Reserves `count` values per micro-batch for data fed from outside.
  [[nodiscard]] slot fed(element type, index_t count, const std::string& name) {
    return builder_.reserve(memory_region::batch, type, checked_mul(micro_batches_, count), name);
  }
  [[nodiscard]] slot part_of(slot whole, index_t part, index_t count, const std::string& name) {
    return micro_batches_ == 1 ? whole : builder_.part(whole, part * count, count, name);
  }

  /// Emits the forward pass and losses of one micro-batch.
  void run_forward(index_t part) {
    input_ = 0;
    for (record& r : records_) forward(r, part);
    for (std::size_t l = 0; l < losses_.size(); ++l) judge(l, part);
  }
  void judge(std::size_t number, index_t part) {
    const auto& [loss, weight] = losses_[number];
    record& out = records_[outputs_[number]];
    const std::string suffix = losses_.size() == 1 ? "" : concat('_', number + 1);
    const index_t per_sample = loss.targets(out.sample), count = checked_mul(context_.batch, per_sample);
    const bool numbers = loss.target() == element::stored;
    // exact targets must not be rounded, nor a gradient that will be scaled
    const element computed = numbers || scales_losses(precision_) ? context_.master : context_.stored;
    const call_info conversion{.layer = std::string(loss.name())};
    if (part == 0)
      judged_.push_back({.output_shape = out.sample,
                         .targets = fed(numbers ? computed : loss.target(), count, "targets" + suffix),
                         .targets_per_sample = per_sample,
                         .counted_per_sample = loss.counts_correct() ? per_sample : 0,
                         .weight = weight});
    planned_loss& planned = judged_[number];
    const slot result = result_of(number, part);
    (ranks_ == 1 ? planned.states : planned.written).push_back(result);
    slot gradient;
    if (context_.training)
      gradient = builder_.reserve(memory_region::arena, computed, out.own_slots.output_shape.size(), "loss.dy");
    loss.lower(loss_slots{.builder = &builder_,
                          .output_shape = out.own_slots.output_shape,
                          .output = converted(builder_, out.output, computed, conversion),
                          .gradient = gradient,
                          .target = part_of(planned.targets, part, count, "targets" + suffix),
                          .state = result,
                          .weight = weight / static_cast<double>(options_.micro_batches)});
    out.contributions.push_back(gradient_as(context_.stored, gradient, conversion));
  }

  /// Returns the state that a loss writes its result to: with one rank, its own, the first of all in the state of the
  /// step; with several, adjacent ones.
  [[nodiscard]] slot result_of(std::size_t number, index_t part) {
    const auto losses = static_cast<index_t>(losses_.size());
    if (ranks_ > 1) {
      if (!results_.exists())
        results_ = builder_.reserve<step_state>(memory_region::batch, losses * micro_batches_, "results");
      return builder_.part<step_state>(results_, part * losses + static_cast<index_t>(number), 1, "result");
    }
    return part == 0 && number == 0 ? context_.state : builder_.reserve<step_state>(memory_region::batch, 1, "result");
  }
  /// With several ranks: emits the exchange of the results of all losses.
  void gather_results() {
    if (ranks_ == 1) return;
    const auto losses = static_cast<index_t>(losses_.size());
    const slot all =
        builder_.reserve<step_state>(memory_region::batch, options_.micro_batches * losses, "results of all ranks");
    emit_gather<step_state>(builder_, *options_.exchange, results_, all, micro_batches_ * losses, "losses",
                            pass::forward);
    for (index_t part = 0; part < options_.micro_batches; ++part)
      for (std::size_t l = 0; l < losses_.size(); ++l)
        judged_[l].states.push_back(
            builder_.part<step_state>(all, part * losses + static_cast<index_t>(l), 1, "result"));
  }

  /// Emits the backward pass of one micro-batch, in reverse order. Each layer's weights are updated after their last
  /// reader, while they and their gradient are in cache.
  void run_backward() {
    for (std::size_t i = records_.size(); i-- > 0;) {
      record& r = records_[i];
      if (!r.needs_gradient) continue;
      const call_info conversion{.layer = r.own_slots.name, .pass = pass::backward_data};
      r.own_slots.output_gradient = gradient_as(context_of(r).stored, sum(r), conversion);
      read_inputs(r, pass::backward_data);
      const parameter_store::gradient_slots gradients = parameters_.gradients(r.home, r.looked_up);
      r.own_slots.parameter_gradients = gradients.values, r.own_slots.gradient_rows = gradients.rows;
      const std::size_t first = builder_.call_count();
      lowering to(context_of(r), r.own_slots, pass::backward_data);
      r.layer->backward(to);
      for (std::size_t in = 0; in < r.inputs.size(); ++in) {
        if (!r.own_slots.wants_input_gradient[in]) continue;
        require<value_error>(r.own_slots.input_gradients[in].exists(), r.own_slots.name,
                             ": backward() has no gradient of input ", in, "; must write input_gradient() or name it");
        records_[r.inputs[in]].contributions.push_back(
            gradient_as(context_.stored, r.own_slots.input_gradients[in], conversion));
      }
      parameters_.used(r.home, first);
    }
  }

  [[nodiscard]] slot gradient_as(element type, slot gradient, const call_info& info) {
    return converted(builder_, gradient, type, info, context_.scale_state);
  }
  /// Adds up the gradients from the readers of r's output, in a fixed order.
  [[nodiscard]] slot sum(const record& r) {
    slot total = r.contributions.at(0);
    for (std::size_t c = 1; c < r.contributions.size(); ++c) {
      const index_t size = r.own_slots.output_shape.size();
      const slot a = total, b = r.contributions[c];
      const slot y = builder_.reserve(memory_region::arena, context_.stored, size, r.own_slots.name + ".dy");
      builder_.add_call(
          {.layer = r.own_slots.name, .pass = pass::backward_data, .shape = to_string(r.own_slots.output_shape)},
          [=](const addresses& at) { return add_args<stored>{.size = size, .a = at(a), .b = at(b), .y = at(y)}; });
      total = y;
    }
    return total;
  }

  [[nodiscard]] compiled finish() {
    std::vector<slot> outputs;
    std::vector<shape> output_shapes;
    for (const std::size_t output : outputs_) {
      outputs.push_back(records_[output].output);
      output_shapes.push_back(records_[output].sample);
    }
    context_.carried.insert(context_.carried.end(), wide_context_.carried.begin(), wide_context_.carried.end());
    return {.plan = builder_.finish(),
            .precision = precision_,
            .batch = checked_mul(options_.batch, micro_batches_),
            .batch_of_all = checked_mul(options_.batch, options_.micro_batches),
            .inputs = inputs_,
            .input_shapes = input_shapes_,
            .outputs = std::move(outputs),
            .output_shapes = std::move(output_shapes),
            .losses = judged_,
            .state = context_.state,
            .carried = context_.carried,
            .parameters = parameters_.all(),
            .blocks = parameters_.blocks()};
  }

  const graph& net_;
  const compile_options& options_;
  index_t ranks_, micro_batches_, first_part_;  // the last two: of this rank, and before it
  precision precision_;
  plan_builder builder_;
  lowering_context context_, wide_context_;  // for the stored type, and for data that must not be rounded
  parameter_store parameters_;
  bool fuses_;                   // layers of a session
  std::vector<record> records_;  // inputs before their readers
  std::vector<int> record_of_;   // by node
  std::vector<std::size_t> outputs_;
  std::vector<weighted_loss> losses_;
  std::vector<planned_loss> judged_;
  slot results_ = {};      // of the losses on this rank's micro-batches, if there are several ranks
  std::size_t input_ = 0;  // number of the next input
  std::vector<slot> inputs_;
  std::vector<shape> input_shapes_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
