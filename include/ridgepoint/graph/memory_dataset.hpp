// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Options of a memory_dataset of labels.
struct label_options {
  std::optional<std::int32_t> ignored = {};  // label of what does not count, as the loss has it: -1
  shape target = {};                         // labels of a sample: {t}, one for each step; {}: one
};

/// A data set of a program's own values, which it copies: labels and the number of their classes, or values to be
/// approximated and their shape. `trainer.fit(x, y)` learns from values where they are, without one.
///
/// Example:
///   const rp::memory_dataset kinds(x, labels, {28, 28, 1}, 10);     // 784 floats and one label a sample
///   const rp::memory_dataset curve(x, y, {2}, {1});                 // 2 floats and one value to approximate
///   const rp::memory_dataset padded(x, labels, {80}, 10, {.ignored = -1, .target = {80}});  // one label a step
template <class Target>
class memory_dataset final : public dataset_for<Target> {
 public:
  /// One label per sample, or those of options.target.
  /// Throws: shape_error unless x holds as many samples as labels does; value_error for no class, or a label that is
  /// out of range and not ignored.
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
  /// Throws: shape_error unless x holds as many samples as targets does.
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
                         " values; must be a multiple of ", sample.size(), ", those of a sample ", sample);
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
