// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <functional>

#include <ridgepoint/core/exclusive.hpp>
#include <ridgepoint/core/scope_exit.hpp>
#include <ridgepoint/graph/by_batch.hpp>
#include <ridgepoint/graph/feeder.hpp>
#include <ridgepoint/graph/fit.hpp>
#include <ridgepoint/graph/network.hpp>
#include <ridgepoint/graph/non_finite.hpp>
#include <ridgepoint/graph/profiler.hpp>
#include <ridgepoint/graph/saved_regions.hpp>
#include <ridgepoint/graph/session.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A network that learns: forward, loss, backward and update as one list of calls on a backend. Made by graph::train().
/// It keeps the graph as it was then: rewiring that afterwards changes nothing here.
/// The same seed gives the same losses and weights, bit for bit, wherever the backend's ops do: on the CPU for any
/// number of threads. A step allocates no memory. While one thread is inside step(), fit(), evaluate(), predict()
/// or profile(), another one is refused.
template <scalar T, backend Backend, class Loss, class Optimiser, class UserOps>
class trainer {
 public:
  using target = typename Loss::template target<T>;
  using watcher = std::function<bool(const progress&)>;
  using samples = std::span<const T>;             // one after another
  using inputs = std::initializer_list<samples>;  // one for each input, in the order the output depends on them
  using targets = std::span<const target>;

  /// Throws: where graph::train() does.
  trainer(const graph& net, const Backend& on, const node& output, Loss loss, Optimiser optimiser,
          const compile_options& options)
      : net_(net.separate()),
        output_(net_.counterpart(output, net)),
        loss_(std::move(loss)),
        optimiser_(checked(std::move(optimiser))),
        options_(options),
        learn_(on, plan_training<T>(net_, output_, loss_, optimiser_, options), UserOps{}) {
    learn_.set_state(state_at(0, optimiser_.learning_rate));
    learn_.initialise(options.seed);
    for (const planned_block<T>& block : learn_.made().blocks)
      for (std::size_t m = 0; m < Optimiser::moments.size(); ++m) {
        const std::vector<T> initial(static_cast<std::size_t>(block.size),
                                     static_cast<T>(Optimiser::moments[m].initial));
        learn_.put(block.moments[m], std::span(initial));
      }
  }

  /// One step on a batch in host memory; returns its mean loss before the update.
  /// Throws: shape_error unless x and targets hold one batch; value_error for a label out of range, for a loss that is
  /// not finite, naming what was first not to be (see first_non_finite), and for a second thread. Nothing is learnt
  /// then, but what batch_norm follows of the data.
  double step(samples x, targets y) { return step({x}, y); }
  double step(inputs x, targets y) {
    const exclusive::use held = alone_.enter("trainer");
    detail::check_samples<T>(x, learn_.made().input_shapes, options_.batch);
    return learn([&](std::size_t i) { return x.begin()[i]; }, y, {});
  }

  /// Learns from samples in shuffled batches; what is left over at the end of an epoch is dropped. They are those of a
  /// data set, or x and y in host memory, one sample after another. `watch` is called after every step and ends
  /// training by returning false.
  /// Throws: shape_error if the samples do not fit the network; value_error for too many classes, less than a batch,
  /// more epochs in all than an int counts, an option out of its domain, and where step() does; data_error if the best
  /// checkpoint can not be written.
  /// Example:
  ///   const rp::history h = trainer.fit(x, labels, {.epochs = 5});
  history fit(const dataset_for<target>& data, const fit_options<target>& fitting = {}, const watcher& watch = {}) {
    const exclusive::use held = alone_.enter("trainer");
    return fit_batches(batches_of(data), fitting, watch);
  }
  history fit(samples x, targets y, const fit_options<target>& fitting = {}, const watcher& watch = {}) {
    return fit({x}, y, fitting, watch);
  }
  history fit(inputs x, targets y, const fit_options<target>& fitting = {}, const watcher& watch = {}) {
    const exclusive::use held = alone_.enter("trainer");
    return fit_batches(batches_of(x, y), fitting, watch);
  }

  /// Loss and accuracy over all samples, with dropout off; the last batch is as small as it is. Learns nothing.
  /// Throws: as fit().
  [[nodiscard]] evaluation evaluate(const dataset_for<target>& data) {
    const exclusive::use held = alone_.enter("trainer");
    feed_of batches = batches_of(data);
    return judged(batches);
  }
  [[nodiscard]] evaluation evaluate(samples x, targets y) { return evaluate({x}, y); }
  [[nodiscard]] evaluation evaluate(inputs x, targets y) {
    const exclusive::use held = alone_.enter("trainer");
    feed_of batches = batches_of(x, y);
    return judged(batches);
  }

  /// What the network's output is for any number of samples, {samples, extents of the output}, with dropout off.
  /// Plans once for each size of the last batch: for few samples at a time there is session().
  /// Throws: shape_error unless x holds whole samples, of every input as many; value_error for a second thread.
  /// Example:
  ///   const rp::tensor<float> logits = trainer.predict(x);
  [[nodiscard]] tensor<T> predict(samples x) { return predict({x}); }
  [[nodiscard]] tensor<T> predict(inputs x) {
    const exclusive::use held = alone_.enter("trainer");
    const std::vector<shape>& shapes = learn_.made().input_shapes;
    const index_t count = x.size() == 0 ? 0 : static_cast<index_t>(x.begin()->size()) / shapes[0].size();
    detail::check_samples<T>(x, shapes, count);
    tensor<T> y(batched(count, learn_.made().output_shape));
    for (index_t first = 0; first < count; first += options_.batch) {
      const index_t size = std::min(options_.batch, count - first);
      const network<T, Backend>& answer = predictor(size);
      const auto part = [&](auto all, const shape& sample) {
        return all.subspan(static_cast<std::size_t>(first * sample.size()),
                           static_cast<std::size_t>(size * sample.size()));
      };
      for (std::size_t i = 0; i < shapes.size(); ++i) answer.feed(i, part(x.begin()[i], shapes[i]));
      answer.program().run();
      answer.get(answer.made().output, part(y.values(), learn_.made().output_shape));
    }
    return y;
  }

  /// A session of its own memory that starts from the parameters as they are now.
  /// Example:
  ///   const auto answer = trainer.session({.batch = 1});
  [[nodiscard]] ridgepoint::session<T, Backend> session(const compile_options& options = {}) const {
    ridgepoint::session<T, Backend> made(net_, learn_.program().on(), output_, options, UserOps{});
    made.load(*this);
    return made;
  }

  /// Times `steps` steps call by call (see measure_steps). They are real steps on real batches; afterwards the trainer
  /// is as it was before.
  /// Throws: as fit(); value_error if steps < 1.
  [[nodiscard]] ridgepoint::profile profile(const dataset_for<target>& data, int steps = 50) {
    const exclusive::use held = alone_.enter("trainer");
    feed_of batches = batches_of(data);
    const index_t available = whole_batches("profile", batches);
    batches.shuffle(options_.seed, 0);
    profile_row row =
        data_row(batched(options_.batch, learn_.made().input_shapes.at(0)), batches.bytes(options_.batch));
    const saved_regions<Backend> before(learn_.program(),
                                        {memory_region::parameters, memory_region::gradients, memory_region::moments});
    const step_state state = learn_.state();
    const scope_exit back([&] {
      before.restore();
      learn_.set_state(state);
    });
    index_t next = 0;
    ridgepoint::profile result = measure_steps(
        learn_.program(), steps, std::move(row),
        [&] {
          batches.take(next * options_.batch, options_.batch);
          next = (next + 1) % available;
          feed([&](std::size_t i) { return batches.x(i); }, batches.targets());
        },
        [&] { static_cast<void>(learn_.state()); });
    result.title = net_.name();
    result.dtype = sizeof(T) == 4 ? "f32" : "f64";
    return result;
  }

  /// Writes parameters, the optimiser's moments, step, learning rate, batch and seed: see checkpoint.
  /// Throws: data_error if the file can not be written; one that was there before is then unchanged.
  void save(const std::filesystem::path& file) const {
    write_checkpoint(file, learn_.save(Optimiser::name, options_.seed));
  }
  /// Continues from a checkpoint as if training had not stopped, if the loss, the optimiser's options and the data are
  /// still the same, which is not checked.
  /// Throws: data_error if the file is not a checkpoint of this network, optimiser, batch and seed, or larger than one
  /// can be; nothing is loaded then.
  void load(const std::filesystem::path& file) {
    const checkpoint c = read_checkpoint(file, detail::most_checkpoint_bytes(net_));
    const auto check_same = [&](const char* what, const auto& actual, const auto& required) {
      require<data_error>(actual == required, "checkpoint ", file.string(), ": of ", what, ' ', actual, "; must be ",
                          required);
    };
    check_same("optimiser", std::string_view(c.optimiser), std::string_view(Optimiser::name));
    check_same("batch", c.batch, options_.batch);
    check_same("seed", c.seed, options_.seed);
    learn_.load(c);
    learn_.set_state(state_at(c.step, c.learning_rate));
  }
  /// The parameters alone, as safetensors: what other programs, in Python too, read.
  /// Throws: as save().
  void save_parameters(const std::filesystem::path& file) const { learn_.save_parameters(file); }
  /// Takes the parameters, and nothing else, out of a safetensors file or a checkpoint of any optimiser, batch and
  /// seed: to judge what was learnt, or to start from it.
  /// Throws: data_error if the file is neither, of another network, or larger than one can be; nothing is loaded then.
  void load_parameters(const std::filesystem::path& file) {
    learn_.load_parameters(file, detail::most_checkpoint_bytes(net_));
  }

  [[nodiscard]] std::uint64_t steps_done() const { return learn_.state().step; }
  /// Of the next step.
  [[nodiscard]] double learning_rate() const { return learn_.state().learning_rate; }
  /// Where the optimiser has a schedule, the rate it begins from, which takes effect as if it had begun from it.
  /// Throws: value_error unless it is finite and ≥ 0.
  void set_learning_rate(double rate) {
    const step_state now = learn_.state();
    step_state changed = state_at(now.step, rate);
    changed.loss = now.loss;
    changed.correct = now.correct;
    check(changed);
    learn_.set_state(changed);
  }
  /// Parameters by name ("dense_1.w"); the gradient is that of the last step.
  [[nodiscard]] tensor<T> parameter(std::string_view name) const { return learn_.parameter_values(name); }
  [[nodiscard]] tensor<T> gradient(std::string_view name) const {
    const planned_parameter<T>& p = learn_.find(name);
    require<value_error>(p.gradient.exists(), name, ": is not trainable; must be, to have a gradient");
    tensor<T> values(p.spec.extents);
    learn_.get(p.gradient, values.values());
    return values;
  }
  void set_parameter(std::string_view name, std::span<const T> values) { learn_.set_parameter_values(name, values); }

  [[nodiscard]] const network<T, Backend, target>& learning() const noexcept { return learn_; }
  [[nodiscard]] const ridgepoint::plan& plan() const noexcept { return learn_.program().plan(); }
  [[nodiscard]] const graph& net() const noexcept { return net_; }

 private:
  [[nodiscard]] static Optimiser checked(Optimiser optimiser) {
    check(step_state{.learning_rate = optimiser.learning_rate});
    return optimiser;
  }
  /// The state after so many steps of a schedule that began from this rate.
  [[nodiscard]] step_state state_at(std::uint64_t step, double rate) const {
    return {
        .step = step, .learning_rate = scheduled_rate(schedule_of(optimiser_), rate, step), .base_learning_rate = rate};
  }

  using feed_of = feeder<T, target>;
  using evaluating = network<T, Backend, target>;
  using predicting = network<T, Backend>;

  [[nodiscard]] feed_of batches_of(const dataset_for<target>& data) const {
    require<value_error>(learn_.made().inputs.size() == 1, "data set: the network has ", learn_.made().inputs.size(),
                         " inputs; must have 1, or be given the values of each: {a, b}");
    const index_t targets_each = learn_.made().targets_per_sample;
    return feed_of(data, learn_.made().input_shapes[0], learn_.made().output_shape.size() / targets_each,
                   options_.batch, targets_each);
  }
  [[nodiscard]] feed_of batches_of(std::span<const samples> x, targets y) const {
    check_targets(y);
    return feed_of(x, y, learn_.made().input_shapes, options_.batch, learn_.made().targets_per_sample);
  }
  [[nodiscard]] index_t whole_batches(std::string_view op, const feed_of& batches) const {
    require<value_error>(batches.size() >= options_.batch, op, ": data set has ", batches.size(),
                         " samples; must have at least a batch of ", options_.batch);
    return batches.size() / options_.batch;
  }
  void check_targets(targets y) const { loss_.check_targets(y, learn_.made().output_shape); }

  history fit_batches(feed_of batches, const fit_options<target>& fitting, const watcher& watch) {
    detail::check(fitting);
    const index_t steps = whole_batches("fit", batches);
    std::optional<feed_of> held_out;
    if (fitting.validation != nullptr) held_out.emplace(batches_of(*fitting.validation));
    const std::uint64_t done = learn_.state().step, per_epoch = static_cast<std::uint64_t>(steps);
    const int first = detail::epochs_finished(done, per_epoch, fitting.epochs), last = first + fitting.epochs;

    history result = history::with_room(fitting.epochs);
    detail::best_epoch best(fitting.least_gain);
    std::optional<saved_regions<Backend>> kept;
    const scope_exit back([&] {
      if (kept) kept->restore();
    });
    for (int epoch = first; epoch < last; ++epoch) {
      batches.shuffle(options_.seed, static_cast<std::uint64_t>(epoch));
      double sum = 0;
      const index_t start = epoch == first ? static_cast<index_t>(done % per_epoch) : 0;
      for (index_t s = start; s < steps; ++s) {
        batches.take(s * options_.batch, options_.batch);
        sum += learn([&](std::size_t i) { return batches.x(i); }, batches.targets(), batches.rows());
        progress now{.epoch = epoch + 1, .epochs = last, .step = s + 1, .steps = steps};
        now.loss = sum / static_cast<double>(s + 1 - start);
        const bool ended = s + 1 == steps;
        if (ended) end_epoch(now, fitting, held_out, best, kept, result);
        const bool goes_on = !watch || watch(now);
        const bool gives_up = ended && fitting.patience > 0 && best.since() >= fitting.patience;
        if (!goes_on || gives_up) {
          result.complete = ended && epoch + 1 == last;
          return result;
        }
      }
    }
    return result;
  }
  /// Validates, and keeps what is the best so far.
  void end_epoch(progress& now, const fit_options<target>& fitting, std::optional<feed_of>& held_out,
                 detail::best_epoch& best, std::optional<saved_regions<Backend>>& kept, history& result) {
    result.loss.push_back(now.loss);
    if (held_out) {
      now.validation = judged(*held_out);
      result.validation_loss.push_back(now.validation->loss);
    }
    if (!best.judge(now.epoch, now.validation ? now.validation->loss : now.loss)) return;
    result.best_epoch = now.epoch;
    if (!fitting.best_checkpoint.empty()) save(fitting.best_checkpoint);
    if (!fitting.keep_best) return;
    if (kept) kept->save();
    else kept.emplace(learn_.program(), std::initializer_list<memory_region>{memory_region::parameters});
  }

  [[nodiscard]] evaluation judged(feed_of& batches) {
    evaluation result{.samples = batches.size()};
    for (index_t first = 0; first < result.samples; first += options_.batch) {
      const index_t count = std::min(options_.batch, result.samples - first);
      const evaluating& judge = evaluator(count);
      batches.take(first, count);
      check_targets(batches.targets());
      for (std::size_t i = 0; i < batches.inputs(); ++i) judge.feed(i, batches.x(i));
      judge.put(judge.made().targets, batches.targets());
      judge.program().run();
      const step_state state = judge.state();
      check_loss(judge, state.loss, batches.rows(), "evaluate");
      result.correct += static_cast<index_t>(state.correct);
      result.loss += state.loss * static_cast<double>(count) / static_cast<double>(result.samples);
    }
    if constexpr (std::same_as<target, std::int32_t>) result.labels = result.samples * learn_.made().targets_per_sample;
    return result;
  }

  /// x(i): the values of input i.
  template <class X>
  void feed(const X& x, targets y) {
    const index_t expected = options_.batch * learn_.made().targets_per_sample;
    require<shape_error>(static_cast<index_t>(y.size()) == expected, "step: ", y.size(), " targets; must be ",
                         expected);
    check_targets(y);
    for (std::size_t i = 0; i < learn_.made().inputs.size(); ++i) learn_.feed(i, x(i));
    learn_.put(learn_.made().targets, y);
  }
  /// One step; nothing but the forward pass if its loss is not finite.
  template <class X>
  double learn(const X& x, targets y, std::span<const index_t> rows) {
    feed(x, y);
    const program<Backend>& steps = learn_.program();
    const std::size_t judged = steps.plan().forward_calls();
    steps.run(0, judged);
    const step_state state = learn_.state();
    check_loss(learn_, state.loss, rows, "step ", state.step + 1);
    steps.run(judged, steps.call_count());
    return state.loss;
  }
  /// Throws: value_error, beginning with `where`, unless the loss is finite.
  template <class... Where>
  static void check_loss(const network<T, Backend, target>& of, double loss, std::span<const index_t> rows,
                         const Where&... where) {
    if (!std::isfinite(loss)) [[unlikely]]
      throw value_error(concat(where..., ": loss is ", loss, ", ", first_non_finite(of, rows), "; must be finite"));
  }
  /// The network without dropout, backward pass and update, on the same parameters.
  [[nodiscard]] const evaluating& evaluator(index_t batch) {
    return evaluators_.get(batch, [&] { return sharing(plan_evaluation<T>(net_, output_, loss_, of_batch(batch))); });
  }
  /// The same without the loss.
  [[nodiscard]] const predicting& predictor(index_t batch) {
    return predictors_.get(batch, [&] { return sharing(plan_inference<T>(net_, output_, of_batch(batch))); });
  }
  [[nodiscard]] compile_options of_batch(index_t batch) const { return {.batch = batch, .seed = options_.seed}; }
  /// A network on the parameters of this one.
  template <class Target>
  [[nodiscard]] auto sharing(compiled<T, Target> made) const {
    auto shared = std::make_unique<network<T, Backend, Target>>(learn_.program().on(), std::move(made), UserOps{},
                                                                learn_.program().parameters());
    shared->set_state({});
    return shared;
  }

  graph net_;
  node output_;
  Loss loss_;
  Optimiser optimiser_;
  compile_options options_;
  network<T, Backend, target> learn_;
  by_batch<evaluating> evaluators_{options_.batch};
  by_batch<predicting> predictors_{options_.batch};
  exclusive alone_;
};

template <class T, class Backend, class Output, class Loss, class Optimiser, class UserOps>
auto graph::train(const Backend& on, const Output& output, Loss loss, Optimiser optimiser, compile_options options,
                  UserOps) const {
  constexpr bool number = scalar<T>, runs = backend<Backend>, of_node = std::convertible_to<const Output&, node>,
                 judged = detail::judges<Loss>, updated = detail::updates<Optimiser>;
  static_assert(runs, "train: the first argument must be a backend, such as rp::cpu");
  static_assert(!runs || of_node, "train: the second argument must be a node of the graph");
  static_assert(!runs || !of_node || judged, "train: the third argument must be a loss, such as nn::mse");
  static_assert(!runs || !of_node || !judged || updated, "train: the fourth argument must be an optimiser: nn::adam");
  static_assert(number, "train: elements must be float or double");
  if constexpr (number && runs && of_node && judged && updated)
    return trainer<T, Backend, Loss, Optimiser, UserOps>(*this, on, output, std::move(loss), std::move(optimiser),
                                                         options);
  else return detail::nothing{};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
