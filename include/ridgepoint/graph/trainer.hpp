// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include <ridgepoint/core/exclusive.hpp>
#include <ridgepoint/core/scope_exit.hpp>
#include <ridgepoint/graph/dataset.hpp>
#include <ridgepoint/graph/profiler.hpp>
#include <ridgepoint/graph/saved_regions.hpp>
#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/graph/training_core.hpp>
#include <ridgepoint/graph/training_driver.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A network in training: forward, losses, backward and update as one list of calls on a backend. Created by
/// graph::train(). It keeps a copy of the graph: later rewiring has no effect here.
///
/// The same seed gives the same losses and weights, bit for bit, if the backend's ops are deterministic: on the CPU for
/// any number of threads. A step allocates no memory. While one thread is in step(), fit(), evaluate(), predict() or
/// profile(), a second one is refused.
template <std::floating_point T, backend Backend>
class trainer {
 public:
  using watcher = std::function<bool(const progress&)>;
  /// Samples one after another, or their targets; a list if there are several inputs or losses. Inputs are in the order
  /// that the outputs depend on them.
  using values = host_columns<T>;

  /// Throws: as graph::train().
  trainer(const graph& net, const Backend& on, std::vector<objective> objectives, any_optimiser optimiser,
          const compile_options& options, const op_table<Backend>& ops);

  /// Runs one step on a batch in host memory, of all micro-batches and all ranks; returns its mean loss before the
  /// update, for several losses the weighted sum.
  /// Throws: shape_error unless x and y hold one batch; value_error for ids or labels in place of numbers, or numbers
  /// in place of ids or labels, for a label out of range, for a loss that is not finite, naming the first non-finite
  /// value (see first_non_finite), and for a second thread. After an exception nothing has been updated, except the
  /// moving statistics of batch_norm.
  /// Example:
  ///   trainer.step(x, labels);
  ///   trainer.step({left, right}, {labels, pixels});             // two inputs, two losses
  double step(const values& x, const values& y);
  /// Results of each loss on the last batch trained on.
  [[nodiscard]] std::span<const judgement> judged() const noexcept { return core_.judged(); }
  /// Zeros the state that layers carry from step to step: the next batch starts afresh.
  void reset_state() const { learning().reset_state(); }

  /// Trains on samples in shuffled batches; the remainder at the end of an epoch is dropped. Samples come from a data
  /// set (several_targets for several losses), or from x and y in host memory, one sample after another, with the
  /// targets of each loss. `watch` is called after every step and stops training by returning false; fit_options
  /// describes backends that check losses later. Layers with state continue from the previous batch in shuffled order:
  /// to train on sequences in pieces, call step() in their order.
  /// Throws: shape_error if the samples do not fit the network; value_error for too many classes, less than a batch, a
  /// total of epochs that exceeds an int, an option out of its domain, resident samples that may change, and as step();
  /// data_error if the best checkpoint cannot be written.
  /// Example:
  ///   const rp::history h = trainer.fit(x, labels, {.epochs = 5});
  history fit(const any_dataset& data, const fit_options& fitting = {}, const watcher& watch = {});
  history fit(const values& x, const values& y, const fit_options& fitting = {}, const watcher& watch = {});

  /// Returns loss and accuracy over all samples, with dropout off; the last batch may be smaller. Updates nothing.
  /// Throws: as fit().
  [[nodiscard]] evaluation evaluate(const any_dataset& data);
  [[nodiscard]] evaluation evaluate(const values& x, const values& y);

  /// Returns the network's first output, or any node, for any number of samples, {samples, extents of the node}, with
  /// dropout off. Compiles a plan for each size of the last batch: for a few samples at a time use session().
  /// Throws: shape_error unless x holds whole samples, equally many for every input; value_error for a node added after
  /// this trainer was created, and for a second thread.
  /// Example:
  ///   const rp::tensor<float> logits = trainer.predict(x);
  ///   const rp::tensor<float> features = trainer.predict(hidden, x);
  [[nodiscard]] tensor<T> predict(const values& x);
  [[nodiscard]] tensor<T> predict(const node& of, const values& x);

  /// Returns a session for the first output, with its own memory, that starts from the current parameters.
  /// Example:
  ///   const auto answer = trainer.session({.batch = 1});
  [[nodiscard]] ridgepoint::session<T, Backend> session(const compile_options& options = {}) const;

  /// Times `steps` steps call by call (see measure_steps). They are real steps on real batches; afterwards the
  /// trainer's state is restored.
  /// Throws: as fit(); value_error if steps < 1.
  [[nodiscard]] ridgepoint::profile profile(const any_dataset& data, int steps = 50,
                                            const step_progress& on_progress = {});

  /// Writes parameters, the optimiser's moments, carried layer state, step, learning rate, batch and seed: see
  /// checkpoint.
  /// Throws: data_error if the file cannot be written, value_error if one of these is not finite, as training could not
  /// resume from it; an existing file is then unchanged.
  void save(const std::string& file) const;
  /// Resumes from a checkpoint as if training had not stopped, if the losses, the optimiser's options and the data are
  /// the same, which is not checked.
  /// Throws: data_error if the file is not a checkpoint of this network, optimiser, batch and seed, or exceeds the
  /// largest possible one; nothing is loaded then.
  void load(const std::string& file);
  /// Writes the parameters alone, as safetensors, for other programs, also in Python.
  /// Throws: data_error as save().
  void save_parameters(const std::string& file) const { learning().save_parameters(file); }
  /// Loads only the parameters from a safetensors file or a checkpoint of any optimiser, batch and seed: to evaluate
  /// them, or to start from them.
  /// Throws: data_error if the file is neither, is of another network, or exceeds the largest possible one; nothing is
  /// loaded then.
  void load_parameters(const std::string& file) { core_.learning().load_parameters(read(file), file); }

  [[nodiscard]] std::uint64_t steps_done() const { return learning().state().step; }
  /// Learning rate of the next step.
  [[nodiscard]] double learning_rate() const { return learning().state().learning_rate; }
  /// Sets the rate; if the optimiser has a schedule, its initial rate, as if it had started from that.
  /// Throws: value_error unless it is finite and ≥ 0.
  void set_learning_rate(double rate);
  /// In f16: the scale of the next step, and the number of skipped steps: see loss_scaling.
  [[nodiscard]] double loss_scale() const { return learning().state().loss_scale; }
  [[nodiscard]] std::uint64_t skipped_steps() const { return learning().state().skipped_steps; }
  /// Parameters by name ("dense_1.w"); the gradient of the last step.
  [[nodiscard]] tensor<T> parameter(std::string_view name) const { return learning().parameter_values(name); }
  [[nodiscard]] tensor<T> gradient(std::string_view name) const;
  void set_parameter(std::string_view name, std::span<const T> to) { core_.learning().set_parameter_values(name, to); }

  [[nodiscard]] const network<T, Backend>& learning() const noexcept { return core_.learning(); }
  [[nodiscard]] const ridgepoint::plan& plan() const noexcept { return learning().program().plan(); }
  /// Memory of a step; evaluation, prediction and sessions use separate memory.
  [[nodiscard]] plan_memory memory() const { return learning().program().memory(); }
  /// Includes the batches that fit() prepares and stages ahead, or the resident samples.
  [[nodiscard]] plan_memory memory(const any_dataset& data, const fit_options& fitting = {}) const {
    plan_memory all = memory();
    all.ahead_bytes = detail::training_driver<T, Backend>::bytes(learning(), data.size(), fitting);
    for (const any_dataset* each : {&data, fitting.validation}) {
      if (each == nullptr) continue;
      const int threads = detail::data_threads(learning().program().on(), *each, fitting.data_threads);
      const batch_form& form = learning().form();
      if (threads > 0)
        all.ahead_bytes +=
            feed_of::batches_held(threads) * static_cast<std::uint64_t>(form.batch) * form.template sample_bytes<T>();
    }
    return all;
  }
  /// Time that training, evaluation and profiles waited for batches so far, and that other threads spent preparing
  /// them.
  [[nodiscard]] const making_times& data_times() const noexcept { return data_times_; }
  [[nodiscard]] const graph& net() const noexcept { return net_; }

 private:
  using feed_of = feeder<T>;
  /// Batches of a data set, or of the caller's values; adds their times to the trainer's at the end.
  class counted_feed {
   public:
    /// With batches prepared ahead.
    counted_feed(trainer& of, const any_dataset& data, std::optional<int> threads = {})
        : batches_(data, of.learning().form(), detail::data_threads(of.learning().program().on(), data, threads)),
          to_(of.data_times_) {
      prepare_own(of);
    }
    /// Throws: as step().
    counted_feed(trainer& of, const values& x, const values& y)
        : batches_(x.all(), y.all(), of.learning().form()), to_(of.data_times_) {
      prepare_own(of);
      for (std::size_t l = 0; l < y.all().size(); ++l) of.core_.check_targets(l, y.all()[l], batches_.size());
    }
    counted_feed(const counted_feed&) = delete;
    counted_feed& operator=(const counted_feed&) = delete;
    ~counted_feed() {
      batches_.pause();
      to_ += batches_.times();
    }
    [[nodiscard]] feed_of& batches() noexcept { return batches_; }

   private:
    /// Prepares ahead only the batches of this rank.
    void prepare_own(const trainer& of) { batches_.prepare_every(of.core_.ranks(), of.core_.rank()); }

    feed_of batches_;
    making_times& to_;
  };

  [[nodiscard]] static any_optimiser checked(any_optimiser optimiser);
  [[nodiscard]] std::vector<objective> in_own_graph(std::vector<objective> objectives, const graph& net) const;
  /// Returns the state after `step` steps of a schedule with this initial rate.
  [[nodiscard]] step_state state_at(std::uint64_t step, double rate) const;

  [[nodiscard]] index_t whole_batches(std::string_view op, const feed_of& batches) const;

  /// Throws: value_error on every rank if ranks differ in what must be equal for training together.
  void agree_on_training() const;
  /// Returns the bytes of a file of parameters, which rank 0 reads.
  /// Throws: data_error if it cannot be read or exceeds the largest possible one.
  [[nodiscard]] std::string read(const std::string& file) const;

  history fit_batches(feed_of& batches, const fit_options& fitting, const watcher& watch);
  /// Validates, and saves the best parameters so far.
  void end_epoch(progress& now, const fit_options& fitting, feed_of* held_out, detail::best_epoch& best,
                 std::optional<saved_regions<Backend>>& kept, history& result);

  graph net_;
  node output_;
  any_optimiser optimiser_;
  compile_options options_;
  op_table<Backend> ops_;
  detail::training_core<T, Backend> core_;
  making_times data_times_;
  exclusive alone_;
};

template <class T, class Backend, class Output, class Loss, class Optimiser, class UserOps>
auto graph::train(const Backend& on, const Output& output, Loss loss, Optimiser optimiser, compile_options options,
                  UserOps ops) const {
  constexpr bool number = std::floating_point<T>, runs = backend<Backend>,
                 of_node = std::convertible_to<const Output&, node>, judged = detail::judges<Loss>,
                 updated = detail::updates<Optimiser>;
  static_assert(runs, "train: the first argument must be a backend, such as rp::cpu");
  static_assert(!runs || of_node, "train: the second argument must be a node of the graph");
  static_assert(!runs || !of_node || judged, "train: the third argument must be a loss, such as nn::mse");
  static_assert(!runs || !of_node || !judged || updated, "train: the fourth argument must be an optimiser: nn::adam");
  static_assert(number, "train: elements must be float or double");
  if constexpr (number && runs && of_node && judged && updated)
    return train<T>(on, {objective{output, std::move(loss)}}, std::move(optimiser), std::move(options), ops);
  else return detail::nothing{};
}
template <class T, class Backend, class UserOps>
auto graph::train(const Backend& on, std::initializer_list<objective> objectives, const any_optimiser& optimiser,
                  compile_options options, UserOps ops) const {
  using computing = computing_backend<Backend>;
  require<value_error>(objectives.size() > 0, "train: no objective; must have at least 1");
  if constexpr (requires { on.exchange(); }) options.exchange = on.exchange();
  return trainer<T, computing>(*this, on, objectives, optimiser, options, detail::ops_with<T, computing>(ops));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#include <ridgepoint/graph/trainer_steps.hpp>

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template class trainer<float, cpu>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif
