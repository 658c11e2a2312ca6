// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <ridgepoint/core/shape.hpp>
#include <ridgepoint/core/team.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The threads that may call a data set.
enum class gathering {
  on_one_thread,   // that of the trainer
  on_any_threads,  // several at once, but not during begin_epoch(); samples take almost no time
  ahead            // the same, and samples are slow enough to be prepared ahead on separate threads
};

/// Samples and their targets, addressed by row, for training or evaluation.
struct any_dataset {
  virtual ~any_dataset() = default;
  /// Number of samples.
  [[nodiscard]] virtual index_t size() const = 0;
  /// Extents of one sample, without the batch: {28, 28, 1}. For a network with several inputs, a sample has the values
  /// of all, one input after another in the order of the trainer's arguments: {2, steps}.
  [[nodiscard]] virtual shape sample_shape() const = 0;
  /// Extents of the targets of one sample; {} is one.
  [[nodiscard]] virtual shape target_shape() const { return {}; }
  /// Number of classes; labels are 0 … classes() - 1. 0 if targets are values.
  [[nodiscard]] virtual int classes() const { return 0; }
  /// Label of samples to ignore, in addition to the labels of classes; the loss must ignore it, too.
  [[nodiscard]] virtual std::optional<std::int32_t> ignored_label() const { return {}; }
  /// Returns how batches may be gathered: on one thread, on any threads, or ahead of time.
  [[nodiscard]] virtual gathering gathered() const { return gathering::on_one_thread; }
  /// Returns true if a row is the same in every epoch, so that a backend may keep it.
  [[nodiscard]] virtual bool stays_the_same() const { return false; }
  /// Called by a trainer before each epoch, with the epoch of the next samples; the first is 0. Augmentation that
  /// changes every epoch depends on it.
  virtual void begin_epoch(std::uint64_t) const {}
};

/// A data set with targets of a type. Values are float for every network: a network in double converts them, and one
/// that takes ids takes whole numbers.
template <class Target>
struct basic_dataset : any_dataset {
  /// Writes the samples of `rows`, one after the other, to x (rows.size() · sample_shape().size() values) and their
  /// targets to targets (rows.size() · target_shape().size() values), both in host memory.
  /// Requires: 0 <= row < size() for every row. Does not allocate, so that a training step does not.
  virtual void gather(std::span<const index_t> rows, float* x, Target* targets) const = 0;
};

namespace detail {
/// Returns the gathering of a data set that transforms the samples of another one.
[[nodiscard]] inline gathering gathered_through(const any_dataset& of) {
  return of.gathered() == gathering::on_one_thread ? gathering::on_one_thread : gathering::ahead;
}
}  // namespace detail

/// Samples with labels, for classification.
struct dataset : basic_dataset<std::int32_t> {
  [[nodiscard]] int classes() const override = 0;
};

/// Samples with values, for regression.
struct regression_dataset : basic_dataset<float> {};

/// The data set type of a loss with targets of this type.
template <class Target>
using dataset_for = std::conditional_t<std::same_as<Target, std::int32_t>, dataset, regression_dataset>;

/// Options of a memory_dataset of labels.
struct label_options {
  std::optional<std::int32_t> ignored = {};  // label to ignore, as in the loss: -1
  shape target = {};                         // labels of a sample: {t}, one for each step; {}: one
};

/// A data set that copies the caller's values: labels and the number of classes, or regression targets and their shape.
/// `trainer.fit(x, y)` uses values in place, without a data set.
///
/// Example:
///   const rp::memory_dataset kinds(x, labels, {28, 28, 1}, 10);     // 784 floats and one label a sample
///   const rp::memory_dataset curve(x, y, {2}, {1});                 // 2 floats and one value to approximate
///   const rp::memory_dataset padded(x, labels, {80}, 10, {.ignored = -1, .target = {80}});  // one label a step
template <class Target>
class memory_dataset final : public dataset_for<Target> {
 public:
  /// One label per sample, or options.target labels.
  /// Throws: shape_error unless x and labels have the same number of samples; value_error for no class, or a label that
  /// is out of range and not ignored.
  memory_dataset(std::span<const float> x, std::span<const Target> labels, const shape& sample, int classes,
                 const label_options& options = {}) requires std::same_as<Target, std::int32_t>
      : memory_dataset(x, labels, sample, options.target, classes) {
    ignored_ = options.ignored;
    require<value_error>(classes >= 1, "memory_dataset: classes is ", classes, "; must be >= 1");
    const auto wrong = std::find_if_not(labels.begin(), labels.end(), [=, this](int label) {
      return (label >= 0 && label < classes) || label == ignored_;
    });
    if (wrong != labels.end())
      throw value_error(concat("memory_dataset: label ", wrong - labels.begin(), " is ", *wrong,
                               "; must be >= 0 and < ", classes,
                               ignored_ ? concat(", or ", *ignored_, ", which is ignored") : ""));
  }
  /// `target` values per sample.
  /// Throws: shape_error unless x and targets have the same number of samples.
  memory_dataset(std::span<const float> x, std::span<const float> targets, const shape& sample,
                 const shape& target) requires std::same_as<Target, float>
      : memory_dataset(x, targets, sample, target, 0) {}

  [[nodiscard]] index_t size() const override { return size_; }
  [[nodiscard]] shape sample_shape() const override { return sample_; }
  [[nodiscard]] shape target_shape() const override { return target_; }
  [[nodiscard]] int classes() const override { return classes_; }
  [[nodiscard]] std::optional<std::int32_t> ignored_label() const override { return ignored_; }
  [[nodiscard]] gathering gathered() const override { return gathering::on_any_threads; }
  [[nodiscard]] bool stays_the_same() const override { return true; }
  void gather(std::span<const index_t> rows, float* x, Target* targets) const override {
    for (const index_t row : rows) {
      x = std::copy_n(x_.data() + row * sample_.size(), sample_.size(), x);
      targets = std::copy_n(targets_.data() + row * target_.size(), target_.size(), targets);
    }
  }

 private:
  memory_dataset(std::span<const float> x, std::span<const Target> targets, const shape& sample, const shape& target,
                 int classes)
      : sample_(sample), target_(target), classes_(classes) {
    require<shape_error>(sample.size() > 0 && target.size() > 0, "memory_dataset: a sample is ", sample,
                         " and its target ", target, "; must have elements");
    const auto values = static_cast<index_t>(x.size()), given = static_cast<index_t>(targets.size());
    size_ = values / sample.size();
    require<shape_error>(size_ * sample.size() == values, "memory_dataset: x has ", values,
                         " values; must be a multiple of ", sample.size(), ", the size of a sample ", sample);
    require<shape_error>(checked_mul(size_, target.size()) == given, "memory_dataset: ", given, " targets for ", size_,
                         " samples; must be ", size_ * target.size());
    x_.assign(x.begin(), x.end());
    targets_.assign(targets.begin(), targets.end());
  }

  shape sample_, target_;
  int classes_;
  std::optional<std::int32_t> ignored_;
  index_t size_ = 0;
  std::vector<float> x_;
  std::vector<Target> targets_;
};

namespace detail {
template <class Range>
using value_in = std::remove_cvref_t<decltype(*std::begin(std::declval<const Range&>()))>;
}  // namespace detail
template <class X, class Labels>
  requires std::integral<detail::value_in<Labels>> memory_dataset(const X&, const Labels&, const shape&, int)
->memory_dataset<std::int32_t>;
template <class X, class Labels>
  requires std::integral<detail::value_in<Labels>> memory_dataset(const X&, const Labels&, const shape&, int,
                                                                  const label_options&)
->memory_dataset<std::int32_t>;
template <class X, class Values>
  requires std::floating_point<detail::value_in<Values>> memory_dataset(const X&, const Values&, const shape&,
                                                                        const shape&)
->memory_dataset<float>;

/// Data for a network with several losses: one data set per loss, all with the same samples. A data set may appear
/// several times.
///
/// Example:
///   const rp::several_targets twice({&text, &text});            // two losses on the same labels
///   const rp::several_targets both({&digits, &own_pixels});     // a classifier and an autoencoder
class several_targets final : public any_dataset {
 public:
  /// The data sets must outlive this object and give the same samples.
  /// Throws: value_error for none, or a null pointer; shape_error unless all have the same number of samples, of the
  /// same size.
  explicit several_targets(std::vector<const any_dataset*> by_loss) : by_loss_(std::move(by_loss)) {
    require<value_error>(!by_loss_.empty(), "several_targets: has no data set; must have one for each loss");
    require<value_error>(std::find(by_loss_.begin(), by_loss_.end(), nullptr) == by_loss_.end(),
                         "several_targets: a data set is a null pointer; must be set for each loss");
    for (const any_dataset* each : by_loss_)
      require<shape_error>(each->size() == size() && each->sample_shape().size() == sample_shape().size(),
                           "several_targets: ", each->size(), " samples of ", each->sample_shape(), " and ", size(),
                           " of ", sample_shape(), "; must be the same");
  }

  [[nodiscard]] index_t size() const override { return by_loss_[0]->size(); }
  [[nodiscard]] shape sample_shape() const override { return by_loss_[0]->sample_shape(); }
  [[nodiscard]] shape target_shape() const override { return by_loss_[0]->target_shape(); }
  [[nodiscard]] int classes() const override { return by_loss_[0]->classes(); }
  /// The strictest of all data sets.
  [[nodiscard]] gathering gathered() const override {
    gathering strictest = gathering::on_any_threads;
    for (const any_dataset* each : by_loss_) {
      if (each->gathered() == gathering::on_one_thread) return gathering::on_one_thread;
      if (each->gathered() == gathering::ahead) strictest = gathering::ahead;
    }
    return strictest;
  }
  [[nodiscard]] bool stays_the_same() const override {
    return std::all_of(by_loss_.begin(), by_loss_.end(), [](const auto* each) { return each->stays_the_same(); });
  }
  void begin_epoch(std::uint64_t epoch) const override {
    for (std::size_t l = 0; l < by_loss_.size(); ++l)
      if (first_of(l) == l) by_loss_[l]->begin_epoch(epoch);
  }
  [[nodiscard]] const std::vector<const any_dataset*>& by_loss() const noexcept { return by_loss_; }
  /// Returns the first loss with the same data set as loss l.
  [[nodiscard]] std::size_t first_of(std::size_t l) const noexcept {
    return static_cast<std::size_t>(std::find(by_loss_.begin(), by_loss_.end(), by_loss_[l]) - by_loss_.begin());
  }

 private:
  std::vector<const any_dataset*> by_loss_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Returns the number of threads that prepare batches of a data set while a backend trains with `computing` threads on
/// `cores`: `wanted` if set; else, if preparation is slow enough, one per idle core, up to 4.
[[nodiscard]] inline int data_threads(gathering data, int computing, int cores, std::optional<int> wanted) {
  if (data == gathering::on_one_thread) return 0;
  if (wanted) return *wanted;
  return data == gathering::ahead ? std::clamp(cores - computing, 0, 4) : 0;
}

/// For a backend; one that does not report its threads counts as one thread.
template <class Backend>
[[nodiscard]] int data_threads(const Backend& on, const any_dataset& data, std::optional<int> wanted = {}) {
  int computing = 1;
  if constexpr (requires { on.thread_count(); }) computing = on.thread_count();
  return data_threads(data.gathered(), computing, available_threads(), wanted);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
