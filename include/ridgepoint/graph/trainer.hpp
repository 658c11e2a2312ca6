// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <functional>
#include <limits>

#include <ridgepoint/core/exclusive.hpp>
#include <ridgepoint/graph/feeder.hpp>
#include <ridgepoint/graph/network.hpp>
#include <ridgepoint/graph/non_finite.hpp>
#include <ridgepoint/graph/profiler.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Where training is; the loss is the mean over the epoch's steps so far.
struct progress {
  int epoch = 0, epochs = 0;    // the first is 1
  index_t step = 0, steps = 0;  // of this epoch
  double loss = 0;
};

/// How long trainer::fit() learns.
struct fit_options {
  int epochs = 1;  // more of them; one that was interrupted is finished first
};

/// Mean loss of every epoch that ended, and whether all did.
struct history {
  std::vector<double> loss;
  bool complete = true;
};

/// What a network makes of a data set.
struct evaluation {
  index_t samples = 0, correct = 0;
  double loss = 0;  // mean over the samples
  [[nodiscard]] double accuracy() const noexcept { return static_cast<double>(correct) / static_cast<double>(samples); }
};

/// A network that learns: forward, loss, backward and update as one list of calls on a backend. Made by graph::train().
/// It keeps the graph as it was then: rewiring that afterwards changes nothing here.
///
/// The same seed gives the same losses and weights, bit for bit, wherever the backend's ops do: on the CPU for any
/// number of threads. A step allocates no memory. While one thread is inside step(), fit(), evaluate() or profile(),
/// another one is refused.
template <scalar T, backend Backend, class Loss, class Optimiser, class UserOps>
class trainer {
 public:
  using target = typename Loss::template target<T>;

  /// Throws: where graph::train() does.
  trainer(const graph& net, const Backend& on, const node& output, Loss loss, Optimiser optimiser,
          const compile_options& options)
      : net_(net.separate()),
        output_(net_.counterpart(output, net)),
        loss_(std::move(loss)),
        optimiser_(checked(std::move(optimiser))),
        options_(options),
        learn_(on, plan_training<T>(net_, output_, loss_, optimiser_, options), UserOps{}) {
    learn_.set_state({.learning_rate = optimiser_.learning_rate});
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
  double step(std::span<const T> x, std::span<const target> targets) {
    const exclusive::use held = alone_.enter("trainer");
    return learn(x, targets, {});
  }

  /// Learns from a data set in shuffled batches; what is left over at the end of an epoch is dropped. `watch` is called
  /// after every step and ends training by returning false.
  /// Throws: shape_error if the samples do not fit the network; value_error for too many classes, less than a batch,
  /// more epochs in all than an int counts, and where step() does.
  history fit(const dataset& data, const fit_options& fitting = {},
              const std::function<bool(const progress&)>& watch = {}) requires std::same_as<target, std::int32_t> {
    const exclusive::use held = alone_.enter("trainer");
    require<value_error>(fitting.epochs >= 0, "fit: epochs is ", fitting.epochs, "; must be >= 0");
    feeder<T> batches = batches_of(data, options_.batch);
    const index_t steps = data.size() / options_.batch;
    require<value_error>(steps > 0, "fit: data set has ", data.size(), " samples; must have at least a batch of ",
                         options_.batch);
    const std::uint64_t done = learn_.state().step, per_epoch = static_cast<std::uint64_t>(steps);
    const auto most_epochs = static_cast<std::uint64_t>(std::numeric_limits<int>::max() - fitting.epochs);
    require<value_error>(done / per_epoch <= most_epochs, "fit: epochs is ", fitting.epochs, " after ",
                         done / per_epoch, "; together they must be at most ", std::numeric_limits<int>::max());
    const int first = static_cast<int>(done / per_epoch), last = first + fitting.epochs;

    history result;
    for (int epoch = first; epoch < last; ++epoch) {
      batches.shuffle(options_.seed, static_cast<std::uint64_t>(epoch));
      double sum = 0;
      const index_t start = epoch == first ? static_cast<index_t>(done % per_epoch) : 0;
      for (index_t s = start; s < steps; ++s) {
        batches.take(s * options_.batch, options_.batch);
        sum += learn(batches.x(), batches.labels(), batches.rows());
        const double mean = sum / static_cast<double>(s + 1 - start);
        const bool goes_on =
            !watch || watch({.epoch = epoch + 1, .epochs = last, .step = s + 1, .steps = steps, .loss = mean});
        const bool ended = s + 1 == steps;
        if (ended) result.loss.push_back(mean);
        if (!goes_on) {
          result.complete = ended && epoch + 1 == last;
          return result;
        }
      }
    }
    return result;
  }

  /// Loss and accuracy over all samples, with dropout off; the last batch is as small as it is. Learns nothing.
  /// Throws: as fit().
  [[nodiscard]] evaluation evaluate(const dataset& data) requires std::same_as<target, std::int32_t> {
    const exclusive::use held = alone_.enter("trainer");
    feeder<T> batches = batches_of(data, options_.batch);
    evaluation result{.samples = data.size()};
    for (index_t first = 0; first < data.size(); first += options_.batch) {
      const index_t count = std::min(options_.batch, data.size() - first);
      const network<T, Backend, target>& judge = evaluator(count);
      batches.take(first, count);
      check_targets(batches.labels());
      judge.feed(batches.x());
      judge.put(judge.made().targets, batches.labels());
      judge.program().run();
      const step_state state = judge.state();
      check_loss(judge, state.loss, batches.rows(), "evaluate");
      result.correct += static_cast<index_t>(state.correct);
      result.loss += state.loss * static_cast<double>(count) / static_cast<double>(data.size());
    }
    return result;
  }

  /// Times `steps` steps call by call (see measure_steps). They are real steps on real batches; afterwards the trainer
  /// is as it was before.
  /// Throws: as fit(); value_error if steps < 1.
  [[nodiscard]] ridgepoint::profile profile(const dataset& data,
                                            int steps = 50) requires std::same_as<target, std::int32_t> {
    const exclusive::use held = alone_.enter("trainer");
    feeder<T> batches = batches_of(data, options_.batch);
    const index_t available = data.size() / options_.batch;
    require<value_error>(available > 0, "profile: data set has ", data.size(),
                         " samples; must have at least a batch of ", options_.batch);
    batches.shuffle(options_.seed, 0);
    profile_row row = data_row(batched(options_.batch, sample_shape()), batches.bytes(options_.batch));
    const snapshot before(*this);
    index_t next = 0;
    ridgepoint::profile result = measure_steps(
        learn_.program(), steps, std::move(row),
        [&] {
          batches.take(next * options_.batch, options_.batch);
          next = (next + 1) % available;
          feed(batches.x(), batches.labels());
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
    const checkpoint c = read(file);
    const auto check_same = [&](const char* what, const auto& actual, const auto& required) {
      require<data_error>(actual == required, "checkpoint ", file.string(), ": of ", what, ' ', actual, "; must be ",
                          required);
    };
    check_same("optimiser", std::string_view(c.optimiser), std::string_view(Optimiser::name));
    check_same("batch", c.batch, options_.batch);
    check_same("seed", c.seed, options_.seed);
    learn_.load(c);
    learn_.set_state({.step = c.step, .learning_rate = c.learning_rate});
  }
  /// Takes the parameters out of a checkpoint of any optimiser, batch and seed, and nothing else: to judge what was
  /// learnt, or to start from it.
  /// Throws: data_error if the file is not a checkpoint of this network, or larger than one can be; nothing is loaded
  /// then.
  void load_parameters(const std::filesystem::path& file) { learn_.load_parameters(read(file)); }

  [[nodiscard]] std::uint64_t steps_done() const { return learn_.state().step; }
  [[nodiscard]] double learning_rate() const { return learn_.state().learning_rate; }
  /// Throws: value_error unless it is finite and ≥ 0.
  void set_learning_rate(double rate) {
    step_state changed = learn_.state();
    changed.learning_rate = rate;
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

  /// Puts parameters, gradients, moments and state back when it goes.
  class snapshot {
   public:
    explicit snapshot(trainer& of) : of_(of), state_(of.learn_.state()) {
      for (std::size_t r = 0; r < std::size(regions); ++r) {
        saved_.push_back(on().allocate(bytes(r)));
        on().copy(saved_[r].data(), at(r), bytes(r));
      }
    }
    snapshot(const snapshot&) = delete;
    snapshot& operator=(const snapshot&) = delete;
    ~snapshot() {
      for (std::size_t r = 0; r < std::size(regions); ++r) on().copy(at(r), saved_[r].data(), bytes(r));
      of_.learn_.set_state(state_);
    }

   private:
    static constexpr memory_region regions[] = {memory_region::parameters, memory_region::gradients,
                                                memory_region::moments};
    [[nodiscard]] const Backend& on() const { return of_.learn_.program().on(); }
    [[nodiscard]] void* at(std::size_t r) const { return of_.learn_.program().memory(regions[r]); }
    [[nodiscard]] std::size_t bytes(std::size_t r) const { return of_.plan().bytes(regions[r]); }
    trainer& of_;
    step_state state_;
    std::vector<typename Backend::buffer> saved_;
  };

  [[nodiscard]] checkpoint read(const std::filesystem::path& file) const {
    return read_checkpoint(file, detail::most_checkpoint_bytes(net_));
  }
  [[nodiscard]] const shape& sample_shape() const { return learn_.made().input_shapes.at(0); }
  [[nodiscard]] feeder<T> batches_of(const dataset& data, index_t batch) const {
    require<value_error>(learn_.made().inputs.size() == 1, "data set: the network has ", learn_.made().inputs.size(),
                         " inputs; must have 1");
    require<shape_error>(learn_.made().targets_per_sample == 1, "data set: has 1 label a sample; the output ",
                         learn_.made().output_shape, " must have ", learn_.made().targets_per_sample);
    return feeder<T>(data, sample_shape(), learn_.made().output_shape.size(), batch);
  }
  void check_targets(std::span<const target> targets) const {
    loss_.check_targets(targets, learn_.made().output_shape);
  }
  void feed(std::span<const T> x, std::span<const target> targets) {
    const index_t expected = options_.batch * learn_.made().targets_per_sample;
    require<shape_error>(static_cast<index_t>(targets.size()) == expected, "step: ", targets.size(),
                         " targets; must be ", expected);
    check_targets(targets);
    learn_.feed(x);
    learn_.put(learn_.made().targets, targets);
  }
  /// One step; nothing but the forward pass if its loss is not finite.
  double learn(std::span<const T> x, std::span<const target> targets, std::span<const index_t> rows) {
    feed(x, targets);
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
  [[nodiscard]] const network<T, Backend, target>& evaluator(index_t batch) {
    auto& made = evaluators_[batch];
    if (!made) {
      compile_options options = options_;
      options.batch = batch;
      made = std::make_unique<network<T, Backend, target>>(learn_.program().on(),
                                                           plan_evaluation<T>(net_, output_, loss_, options), UserOps{},
                                                           learn_.program().parameters());
      made->set_state({});
    }
    return *made;
  }

  graph net_;
  node output_;
  Loss loss_;
  Optimiser optimiser_;
  compile_options options_;
  network<T, Backend, target> learn_;
  std::map<index_t, std::unique_ptr<network<T, Backend, target>>> evaluators_;  // by batch
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
