// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// Throws: shape_error unless there is a span for each input and every one holds `count` samples.
template <scalar T>
void check_samples(std::span<const std::span<const T>> x, std::span<const shape> shapes, index_t count) {
  require<shape_error>(x.size() == shapes.size(), "samples: for ", x.size(), " inputs; the network has ",
                       shapes.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    require<shape_error>(static_cast<index_t>(x[i].size()) == checked_mul(count, shapes[i].size()),
                         "samples: ", x[i].size(), " values for input ", i, "; must be ", count * shapes[i].size(),
                         ", ", count, " samples of ", shapes[i]);
}
}  // namespace detail

/// Takes batches out of a data set, or out of a program's own values, into host memory, in the element type of the
/// network.
template <scalar T, class Target = std::int32_t>
class feeder {
 public:
  /// Batches of a data set, which must outlive it.
  /// Throws: shape_error unless a sample has as many values as `sample` and `targets` targets; value_error unless the
  /// data set has samples and, if its targets are labels, no more classes than `classes`.
  feeder(const dataset_for<Target>& data, const shape& sample, index_t classes, index_t batch, index_t targets = 1)
      : feeder(data.size(), std::span(&sample, 1), targets, batch) {
    require<shape_error>(data.sample_shape().size() == sample.size(), "data set: a sample is ", data.sample_shape(),
                         "; the network's input is ", sample, " and must have as many values");
    require<shape_error>(data.target_shape().size() == targets, "data set: has ", data.target_shape().size(),
                         " targets a sample; the network's output must have ", targets);
    require<value_error>(data.size() > 0, "data set: has no samples; must have some");
    if constexpr (labelled)
      require<value_error>(data.classes() <= classes, "data set: has ", data.classes(),
                           " classes; the network's output has only ", classes);
    gather_ = [&data, single = std::vector<float>(std::same_as<T, float> ? 0 : x_[0].size()),
               values = std::vector<float>(std::same_as<Target, double> ? targets_.size() : 0)](feeder& to) mutable {
      float* x = nullptr;
      if constexpr (std::same_as<T, float>) x = to.x_[0].data();
      else x = single.data();
      if constexpr (std::same_as<Target, double>) data.gather(to.rows_, x, values.data());
      else data.gather(to.rows_, x, to.targets_.data());
      std::copy(single.begin(), single.end(), to.x_[0].begin());
      std::copy(values.begin(), values.end(), to.targets_.begin());
      if constexpr (labelled) to.check_labels(data.classes());
    };
  }
  /// Batches of values that stay where they are: one span for each input, samples one after another.
  /// Throws: shape_error unless all hold as many samples as there are targets for; value_error for none.
  feeder(std::span<const std::span<const T>> x, std::span<const Target> y, std::span<const shape> samples,
         index_t batch, index_t targets)
      : feeder(static_cast<index_t>(y.size()) / targets, samples, targets, batch) {
    const auto given = static_cast<index_t>(y.size()), count = given / targets;
    require<shape_error>(count * targets == given, "samples: ", given, " targets; must be a multiple of ", targets,
                         ", those of a sample");
    require<value_error>(count > 0, "samples: no samples; must be some");
    detail::check_samples(x, samples, count);
    gather_ = [from = std::vector(x.begin(), x.end()), y, per_sample = std::vector(samples.begin(), samples.end()),
               targets](feeder& to) {
      const auto copy_rows = [&to](const auto& values, index_t size, auto* at) {
        for (const index_t row : to.rows_) at = std::copy_n(values.data() + row * size, size, at);
      };
      for (std::size_t i = 0; i < from.size(); ++i) copy_rows(from[i], per_sample[i].size(), to.x_[i].data());
      copy_rows(y, targets, to.targets_.data());
    };
  }

  /// Samples in all.
  [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(order_.size()); }
  void in_order() { std::iota(order_.begin(), order_.end(), index_t{0}); }
  /// Another permutation for every epoch, the same for every backend.
  void shuffle(std::uint64_t seed, std::uint64_t epoch) {
    in_order();
    random_stream random(seed, epoch + shuffle_streams);
    for (std::size_t i = order_.size() - 1; i > 0; --i)
      std::swap(order_[i], order_[random.below(static_cast<std::uint32_t>(i + 1))]);
  }
  /// Samples first … first + count - 1 of the current order.
  /// Throws: value_error for a label that is none of the data set's classes, naming its row.
  void take(index_t first, index_t count) {
    rows_ = std::span<const index_t>(order_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    gather_(*this);
  }
  /// Of `count` samples and their targets.
  [[nodiscard]] std::uint64_t bytes(index_t count) const {
    std::uint64_t each = static_cast<std::uint64_t>(targets_per_sample_) * sizeof(Target);
    for (const index_t size : sizes_) each += static_cast<std::uint64_t>(size) * sizeof(T);
    return static_cast<std::uint64_t>(count) * each;
  }
  [[nodiscard]] std::span<const T> x(std::size_t input = 0) const {
    return std::span(x_[input]).first(rows_.size() * static_cast<std::size_t>(sizes_[input]));
  }
  [[nodiscard]] std::size_t inputs() const noexcept { return x_.size(); }
  [[nodiscard]] std::span<const Target> targets() const {
    return std::span(targets_).first(rows_.size() * static_cast<std::size_t>(targets_per_sample_));
  }
  /// Where in the data set the samples that were taken are.
  [[nodiscard]] std::span<const index_t> rows() const noexcept { return rows_; }

 private:
  static constexpr bool labelled = std::same_as<Target, std::int32_t>;
  static constexpr std::uint64_t shuffle_streams = std::uint64_t{1} << 32;  // apart from the parameters' streams

  feeder(index_t size, std::span<const shape> samples, index_t targets, index_t batch)
      : order_(static_cast<std::size_t>(size)),
        targets_(static_cast<std::size_t>(checked_mul(batch, targets))),
        targets_per_sample_(targets) {
    for (const shape& sample : samples) {
      sizes_.push_back(sample.size());
      x_.emplace_back(static_cast<std::size_t>(checked_mul(batch, sample.size())));
    }
    in_order();
  }
  void check_labels(int classes) const {
    const std::span<const Target> labels = targets();
    for (std::size_t i = 0; i < labels.size(); ++i)
      require<value_error>(labels[i] >= 0 && labels[i] < classes, "data set: label of row ",
                           rows_[i / static_cast<std::size_t>(targets_per_sample_)], " is ", labels[i],
                           "; must be >= 0 and < ", classes);
  }

  std::vector<index_t> order_;
  std::vector<std::vector<T>> x_;  // by input
  std::vector<index_t> sizes_;     // of a sample, by input
  std::vector<Target> targets_;
  index_t targets_per_sample_;
  std::span<const index_t> rows_;        // of order_
  std::function<void(feeder&)> gather_;  // fills x_ and targets_ with the samples of rows_
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
