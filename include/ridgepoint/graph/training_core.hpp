// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ridgepoint/core/scope_exit.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/distributed/distributed.hpp>
#include <ridgepoint/graph/host_batch.hpp>
#include <ridgepoint/graph/network.hpp>
#include <ridgepoint/graph/saved_regions.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Networks compiled for different batch sizes: one for whole batches, and one for the remainder requested last.
template <class Network>
class by_batch {
 public:
  explicit by_batch(index_t whole) : whole_(whole) {}
  /// Returns the network for `batch` samples; if it is not cached, make() returns a unique_ptr to it. Valid until the
  /// next call.
  template <class Make>
  [[nodiscard]] const Network& get(index_t batch, const Make& make) {
    for (const auto& [size, made] : kept_)
      if (size == batch) return *made;
    std::erase_if(kept_, [&](const auto& each) { return each.first != whole_; });
    kept_.emplace_back(batch, make());
    return *kept_.back().second;
  }
  [[nodiscard]] std::size_t count() const noexcept { return kept_.size(); }

 private:
  index_t whole_;
  std::vector<std::pair<index_t, std::unique_ptr<Network>>> kept_;
};

/// Finds the first NaN or infinity on the way to a loss: in an input or a target, in a parameter that the forward pass
/// only reads, or in the result of an op on finite values. Repeats the forward pass call by call.
///
/// `rows`: row of each sample of the batch in its data set, if it has one.
/// Example: "input_1 holds nan in row 371 of the data set", "dense_2.w holds inf", "dense_2 forward 128x10 gives -inf"
template <std::floating_point T, backend Backend>
[[nodiscard]] std::string first_non_finite(const network<T, Backend>& of, std::span<const index_t> rows = {}) {
  const plan& steps = of.program().plan();
  const std::size_t calls = steps.forward_calls();
  std::vector<bool> written(steps.planned_slots.size());
  for (std::size_t c = 0; c < calls; ++c)
    for (const slot s : steps.calls[c].writes) written[static_cast<std::size_t>(s.index)] = true;

  std::string found;
  const auto search = [&](slot s, const auto& describe) {
    if (!is_number(steps[s].type)) return false;
    std::vector<T> values(steps[s].bytes / bytes_of(steps[s].type));
    of.get(s, values);
    const auto bad = std::find_if_not(values.begin(), values.end(), [](T value) { return std::isfinite(value); });
    if (bad == values.end()) return false;
    const auto per_sample = std::max<index_t>(static_cast<index_t>(values.size()) / of.made().batch, 1);
    found = describe(*bad, static_cast<std::size_t>((bad - values.begin()) / per_sample));
    return true;
  };
  const auto search_samples = [&](slot s) {
    return search(s, [&](T bad, std::size_t sample) {
      const std::string where =
          rows.empty() ? concat("sample ", sample, " of the batch") : concat("row ", rows[sample], " of the data set");
      return concat(steps[s].name, " holds ", bad, " in ", where);
    });
  };

  for (const slot input : of.made().inputs)
    if (search_samples(input)) return found;
  for (const planned_loss& loss : of.made().losses)
    if (search_samples(loss.targets)) return found;
  for (const planned_parameter& p : of.made().parameters)
    if (!written[static_cast<std::size_t>(p.values.index)] &&
        search(p.values, [&](T bad, std::size_t) { return concat(p.name, " holds ", bad); }))
      return found;
  for (std::size_t c = 0; c < calls; ++c) {
    const planned_call& call = steps.calls[c];
    if (call.op->name == gather_args<step_state>::name) continue;  // other ranks may have found theirs before
    of.program().run(c);
    for (const slot s : call.writes)
      if (search(s, [&](T bad, std::size_t) {
            return concat(call.info.layer, ' ', call.info.pass, ' ', call.info.shape, " gives ", bad);
          }))
        return found;
  }
  return of.made().batch == of.made().batch_of_all ? "the loss is the first that is not finite"
                                                   : "the samples of another rank are the cause";
}

/// Returns a description of a tensor that holds NaN or infinity, "rnn_1.wh holds nan"; empty if all are finite.
[[nodiscard]] inline std::string non_finite_tensor(const std::vector<safetensor>& tensors) {
  for (const safetensor& held : tensors) {
    std::vector<double> values(static_cast<std::size_t>(held.extents.size()));
    convert_elements(values.data(), element::f64, held.values.data(), element_of_safetensors(held.dtype),
                     held.extents.size());
    const auto bad = std::find_if_not(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
    if (bad != values.end()) return concat(held.name, " holds ", *bad);
  }
  return "";
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Returns options for training with other ranks: without an exchange if there are none; otherwise, a single batch is
/// divided into one micro-batch per rank.
/// Throws: value_error if the ranks do not divide it.
[[nodiscard]] inline compile_options divided_among_ranks(compile_options options) {
  if (options.exchange == nullptr) return options;
  const index_t ranks = options.exchange->size();
  if (ranks == 1) options.exchange.reset();
  if (options.micro_batches % ranks == 0) return options;
  require<value_error>(options.micro_batches == 1, "train: micro_batches is ", options.micro_batches, " for ", ranks,
                       " ranks; must be a multiple");
  require<value_error>(options.batch % ranks == 0, "train: a batch of ", options.batch, " for ", ranks,
                       " ranks; must be a multiple");
  options.batch /= ranks;
  options.micro_batches = ranks;
  return options;
}

/// The batch operations of a trainer: train, evaluate and predict. The networks for evaluation and prediction share the
/// parameters of the training network.
template <std::floating_point T, backend Backend>
class training_core {
 public:
  using values = host_values<T>;
  using feed_of = feeder<T>;

  /// Throws: as graph::train().
  training_core(const graph& net, const Backend& on, std::vector<objective> objectives, const any_optimiser& optimiser,
                const compile_options& options, const op_table<Backend>& ops);

  [[nodiscard]] const network<T, Backend>& learning() const noexcept { return learn_; }
  [[nodiscard]] network<T, Backend>& learning() noexcept { return learn_; }
  /// Samples per step, on this rank and on all.
  [[nodiscard]] index_t batch() const noexcept { return learn_.made().batch; }
  [[nodiscard]] index_t batch_of_all() const noexcept { return learn_.made().batch_of_all; }
  /// The exchange with other ranks; null if there is only this one.
  [[nodiscard]] gradient_exchange* exchange() const noexcept { return options_.exchange.get(); }
  [[nodiscard]] index_t ranks() const { return exchange() == nullptr ? 1 : exchange()->size(); }
  [[nodiscard]] index_t rank() const { return exchange() == nullptr ? 0 : exchange()->rank(); }
  /// Results of each loss on the last batch trained on.
  [[nodiscard]] std::span<const judgement> judged() const noexcept { return judged_; }

  /// Feeds x(i), the values of input i, and y(l), the targets of loss l.
  template <class X, class Y>
  void feed(const X& x, const Y& y) {
    for (std::size_t l = 0; l < objectives_.size(); ++l) check_targets(l, y(l), batch());
    for (std::size_t i = 0; i < learn_.made().inputs.size(); ++i) learn_.feed(i, x(i));
    for (std::size_t l = 0; l < objectives_.size(); ++l) learn_.put(learn_.made().losses[l].targets, y(l));
  }
  /// Returns the position of this rank's part of batch `number` in the order of a feeder.
  [[nodiscard]] index_t first_of(index_t number) const { return number * batch_of_all() + rank() * batch(); }
  /// Feeds this rank's part of batch `number` of the order of a feeder.
  void feed(feed_of& batches, index_t number) {
    batches.take(first_of(number), batch());
    feed([&](std::size_t i) { return batches.x(i); }, [&](std::size_t l) { return batches.targets(l); });
  }
  /// Runs one step on the data fed; updates neither parameters nor carried state if its loss is not finite, or if every
  /// loss scale so far was too large. Returns the loss.
  double learn(std::span<const index_t> rows);
  /// Sets judged() to result(l) of each loss l; returns the weighted sum of the losses.
  template <class Result>
  double take_losses(const Result& result) {
    return sum_of(judged_, result);
  }
  /// Returns true if gradients are not scaled, or a scale ≥ 1 has worked so far.
  [[nodiscard]] bool has_scale() const {
    if (!scales_losses(learn_.made().precision)) return true;
    const step_state now = learn_.state();
    return now.skipped_steps == 0 || now.loss_scale >= 1;
  }
  /// Several ranks share the work, unless layers carry state.
  [[nodiscard]] evaluation judge(feed_of& batches);
  /// Replaces parameters that are not trained, such as moving statistics, by their mean over the ranks.
  void average_statistics() const;
  /// Computes a node for samples: {samples, its extents}.
  [[nodiscard]] tensor<T> predict(const node& of, std::span<const values> x);

  /// Throws: value_error for targets of another type or a label out of range; shape_error for the wrong number of
  /// targets.
  void check_targets(std::size_t l, const values& y, index_t samples) const;

 private:
  /// Returns the loss of the batch that a network ran on; for several, the weighted sum.
  [[nodiscard]] double loss_of(const network<T, Backend>& ran, std::vector<judgement>& each) const {
    return sum_of(each, [&](std::size_t l) { return ran.judged(l); });
  }
  /// each[l] ← judged(l); returns their weighted sum.
  template <class Judged>
  [[nodiscard]] double sum_of(std::vector<judgement>& each, const Judged& judged) const {
    double sum = 0;
    for (std::size_t l = 0; l < each.size(); ++l) {
      each[l] = judged(l);
      sum += objectives_[l].weight * each[l].loss;
    }
    return sum;
  }
  /// Throws: value_error unless has_scale().
  void check_scale() const {
    if (has_scale()) return;
    const step_state now = learn_.state();
    throw value_error(concat(
        "step ", now.step, ": gradients are not finite even with a loss scale of 1 (steps skipped: ", now.skipped_steps,
        "); must be finite"));
  }
  /// Throws: value_error, prefixed with where(), unless the loss is finite.
  template <class Where>
  static void check_loss(const network<T, Backend>& of, double loss, std::span<const index_t> rows,
                         const Where& where) {
    if (!std::isfinite(loss)) [[unlikely]]
      throw value_error(concat(where(), ": loss is ", loss, ", ", first_non_finite(of, rows), "; must be finite"));
  }
  /// Evaluates this rank's batches; returns the results of all batches, batch by batch, loss by loss.
  [[nodiscard]] std::vector<judgement> judge_batches(feed_of& batches);
  /// Corrects for ignored labels: the loss is the mean over counted labels of all batches.
  void leave_out_ignored(std::span<const judgement> of_labels, evaluation& result) const;
  /// Returns the network without dropout, backward pass and update, on the same parameters.
  [[nodiscard]] const network<T, Backend>& evaluator(index_t size);
  /// Likewise without losses; the last requested node is cached.
  [[nodiscard]] const network<T, Backend>& predictor(const node& of, index_t size);
  [[nodiscard]] compile_options of_batch(index_t size) const {
    return {.batch = size, .seed = options_.seed, .precision = options_.precision};
  }
  /// Creates a network that shares the training network's parameters.
  [[nodiscard]] std::unique_ptr<network<T, Backend>> sharing(compiled made) const;

  graph net_;
  std::vector<objective> objectives_;
  compile_options options_;
  op_table<Backend> ops_;
  network<T, Backend> learn_;
  std::vector<judgement> judged_, evaluated_;
  by_batch<network<T, Backend>> evaluators_{learn_.made().batch}, predictors_{learn_.made().batch};
  int predicted_ = -1;
  static constexpr std::initializer_list<memory_region> carried_in = {memory_region::batch};
  std::unique_ptr<saved_regions<Backend>> before_;  // of the last batch, if layers carry state
};

// Member functions that are not inline, so that the archive can hold them.

template <std::floating_point T, backend Backend>
training_core<T, Backend>::training_core(const graph& net, const Backend& on, std::vector<objective> objectives,
                                         const any_optimiser& optimiser, const compile_options& options,
                                         const op_table<Backend>& ops)
    : net_(net),
      objectives_(std::move(objectives)),
      options_(options),
      ops_(ops),
      learn_(on, plan_training(net_, objectives_, optimiser, options_), ops_),
      judged_(objectives_.size()),
      evaluated_(objectives_.size()) {}

template <std::floating_point T, backend Backend>
double training_core<T, Backend>::learn(std::span<const index_t> rows) {
  const program<Backend>& steps = learn_.program();
  const std::size_t up_to_losses = steps.plan().forward_calls();
  const bool carries = !learn_.made().carried.empty();
  if (carries && before_ != nullptr) before_->save();
  if (carries && before_ == nullptr) before_ = std::make_unique<saved_regions<Backend>>(steps, carried_in);
  steps.run(0, up_to_losses);
  const double loss = loss_of(learn_, judged_);
  if (!std::isfinite(loss) || !has_scale()) [[unlikely]] {
    const auto give_back = [&] {
      if (carries) before_->restore();
    };
    give_back();
    const scope_exit again(give_back);  // the search runs the forward pass once more
    check_loss(learn_, loss, rows, [&] { return concat("step ", learn_.state().step + 1); });
    check_scale();
  }
  steps.run(up_to_losses, steps.call_count());
  return loss;
}

template <std::floating_point T, backend Backend>
std::vector<judgement> training_core<T, Backend>::judge_batches(feed_of& batches) {
  const std::size_t losses = objectives_.size();
  const index_t count = (batches.size() + batch() - 1) / batch();
  const bool shared = exchange() != nullptr && learn_.made().carried.empty();
  const index_t step = shared ? ranks() : 1, rounds = (count + step - 1) / step;
  std::vector<judgement> own(static_cast<std::size_t>(rounds) * losses);
  std::exception_ptr failure;
  const network<T, Backend>* before = nullptr;
  const auto judge_one = [&](index_t round) {
    const index_t first = (round * step + (shared ? rank() : 0)) * batch();
    const index_t size = (std::min)(batch(), batches.size() - first);
    if (size <= 0) return;
    const network<T, Backend>& judge = evaluator(size);
    if (std::exchange(before, &judge) != &judge) judge.reset_state();
    batches.take(first, size);
    for (std::size_t l = 0; l < losses; ++l) check_targets(l, batches.targets(l), size);
    for (std::size_t i = 0; i < batches.inputs(); ++i) judge.feed(i, batches.x(i));
    for (std::size_t l = 0; l < losses; ++l) judge.put(judge.made().losses[l].targets, batches.targets(l));
    judge.program().run();
    const double loss = loss_of(judge, evaluated_);
    std::ranges::copy(evaluated_, own.begin() + round * static_cast<index_t>(losses));
    check_loss(judge, loss, batches.rows(), [] { return "evaluate"; });
  };
  if (!shared) {
    for (index_t round = 0; round < rounds; ++round) judge_one(round);
    return own;
  }
  try {
    for (index_t round = 0; round < rounds; ++round) judge_one(round);
  } catch (...) {
    failure = std::current_exception();  // the other ranks must learn of it
  }
  const std::vector<int> failed = exchange()->gathered(failure ? 1 : 0);
  if (failure) std::rethrow_exception(failure);
  const auto other = std::ranges::find(failed, 1);
  require<value_error>(other == failed.end(), "evaluate: rank ", other - failed.begin(),
                       " failed; every rank must evaluate its samples");
  std::vector<judgement> gathered(own.size() * static_cast<std::size_t>(step));
  exchange()->gather(own.data(), own.size() * sizeof(judgement), gathered.data());
  std::vector<judgement> all;
  for (index_t number = 0; number < count; ++number) {
    const index_t at = (number % step * rounds + number / step) * static_cast<index_t>(losses);
    all.insert(all.end(), gathered.begin() + at, gathered.begin() + at + static_cast<index_t>(losses));
  }
  return all;
}

template <std::floating_point T, backend Backend>
evaluation training_core<T, Backend>::judge(feed_of& batches) {
  average_statistics();
  const std::size_t losses = objectives_.size();
  const std::vector<judgement> judged = judge_batches(batches);
  evaluation result{.samples = batches.size()};
  if (losses > 1) result.each.resize(losses);
  std::vector<judgement> of_labels(losses);  // with the sum of losses over counted labels
  std::size_t at = 0;
  for (index_t first = 0; first < result.samples; first += batch()) {
    const auto counted = static_cast<double>((std::min)(batch(), result.samples - first));
    const auto all = static_cast<double>(result.samples);
    double loss = 0;
    for (std::size_t l = 0; l < losses; ++l, ++at) {
      loss += objectives_[l].weight * judged[at].loss;
      result.labels += judged[at].labels;
      result.correct += judged[at].correct;
      of_labels[l].labels += judged[at].labels;
      of_labels[l].loss += judged[at].loss * static_cast<double>(judged[at].labels);
      if (result.each.empty()) continue;
      result.each[l].loss += judged[at].loss * counted / all;
      result.each[l].labels += judged[at].labels;
      result.each[l].correct += judged[at].correct;
    }
    result.loss += loss * counted / all;
  }
  leave_out_ignored(of_labels, result);
  return result;
}

template <std::floating_point T, backend Backend>
void training_core<T, Backend>::average_statistics() const {
  if (exchange() == nullptr) return;
  for (const planned_parameter& p : learn_.made().parameters) {
    if (p.spec.trainable) continue;
    tensor<T> statistics(p.spec.extents);
    learn_.get(p.values, statistics.values());
    exchange()->average(statistics.values());
    learn_.put(p.values, std::as_const(statistics).values());
  }
  learn_.program().make_constants();
}

template <std::floating_point T, backend Backend>
void training_core<T, Backend>::leave_out_ignored(std::span<const judgement> of_labels, evaluation& result) const {
  bool some = false;
  const auto mean = [&](std::size_t l) -> double& { return result.each.empty() ? result.loss : result.each[l].loss; };
  for (std::size_t l = 0; l < of_labels.size(); ++l) {
    const index_t counted = learn_.made().losses[l].counted_per_sample;
    if (counted == 0 || of_labels[l].labels == result.samples * counted) continue;
    mean(l) = of_labels[l].loss / static_cast<double>(std::max<index_t>(of_labels[l].labels, 1));
    some = true;
  }
  if (!some) return;
  double sum = 0;
  for (std::size_t l = 0; l < of_labels.size(); ++l) sum += objectives_[l].weight * mean(l);
  result.loss = sum;
}

template <std::floating_point T, backend Backend>
tensor<T> training_core<T, Backend>::predict(const node& of, std::span<const values> x) {
  const std::vector<batch_form::input>& inputs = learn_.form().inputs;
  const index_t count = x.empty() ? 0 : x[0].size() / inputs[0].sample.size();
  check_samples<T>(x, inputs, count);
  const shape sample = of.extents();
  tensor<T> y(batched(count, sample));
  const network<T, Backend>* before = nullptr;
  for (index_t first = 0; first < count; first += batch()) {
    const index_t size = (std::min)(batch(), count - first);
    const network<T, Backend>& answer = predictor(of, size);
    if (std::exchange(before, &answer) != &answer) answer.reset_state();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const index_t each = inputs[i].sample.size();
      answer.feed(i, x[i].part(first * each, size * each));
    }
    answer.program().run();
    answer.get(answer.made().outputs.front(), y.values().subspan(static_cast<std::size_t>(first * sample.size()),
                                                                 static_cast<std::size_t>(size * sample.size())));
  }
  return y;
}

template <std::floating_point T, backend Backend>
void training_core<T, Backend>::check_targets(std::size_t l, const values& y, index_t samples) const {
  const any_loss& loss = objectives_[l].loss;
  const index_t expected = samples * learn_.form().targets[l].each;
  require<shape_error>(y.size() == expected, "step: ", y.size(), " targets; must be ", expected);
  y.check_suits(loss.target(), "trainer: ", loss.name());
  if (y.type() == element::i32) loss.check_labels(y.ids(), learn_.made().losses[l].output_shape);
}

template <std::floating_point T, backend Backend>
const network<T, Backend>& training_core<T, Backend>::evaluator(index_t size) {
  return evaluators_.get(size, [&] { return sharing(plan_evaluation(net_, objectives_, of_batch(size))); });
}

template <std::floating_point T, backend Backend>
const network<T, Backend>& training_core<T, Backend>::predictor(const node& of, index_t size) {
  if (const int asked = net_.index_of(of); std::exchange(predicted_, asked) != asked)
    predictors_ = by_batch<network<T, Backend>>(batch());
  return predictors_.get(size, [&] { return sharing(plan_inference(net_, of, of_batch(size), objectives_)); });
}

template <std::floating_point T, backend Backend>
std::unique_ptr<network<T, Backend>> training_core<T, Backend>::sharing(compiled made) const {
  auto shared = std::make_unique<network<T, Backend>>(learn_.program().on(), std::move(made), ops_,
                                                      learn_.program().parameters());
  shared->set_state({});
  return shared;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

#if RIDGEPOINT_COMPILED
#include <ridgepoint/cpu/cpu.hpp>
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template class detail::training_core<float, cpu>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif
