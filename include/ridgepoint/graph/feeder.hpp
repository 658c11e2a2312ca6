// SPDX-License-Identifier: MIT
#pragma once

#include <numeric>
#include <type_traits>
#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Takes batches out of a data set into host memory, in the element type of the network.
template <scalar T>
class feeder {
 public:
  /// Throws: shape_error unless a sample has `sample` elements' worth of values; value_error unless the data set has
  /// samples and no more classes than `classes`.
  feeder(const dataset& data, const shape& sample, index_t classes, index_t batch)
      : data_(&data),
        sample_(sample),
        order_(static_cast<std::size_t>(data.size())),
        x_(static_cast<std::size_t>(batch * sample.size())),
        single_(std::same_as<T, float> ? 0 : x_.size()),
        labels_(static_cast<std::size_t>(batch)) {
    require<shape_error>(data.sample_shape().size() == sample.size(), "data set: a sample is ", data.sample_shape(),
                         "; the network's input is ", sample, " and must have as many values");
    require<value_error>(data.size() > 0, "data set: has no samples; must have some");
    require<value_error>(data.classes() <= classes, "data set: has ", data.classes(),
                         " classes; the network's output has only ", classes);
    in_order();
  }

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
    if constexpr (std::same_as<T, float>) {
      data_->gather(rows_, x_.data(), labels_.data());
    } else {
      data_->gather(rows_, single_.data(), labels_.data());
      std::copy(single_.begin(), single_.end(), x_.begin());
    }
    const int classes = data_->classes();
    for (std::size_t i = 0; i < rows_.size(); ++i)
      require<value_error>(labels_[i] >= 0 && labels_[i] < classes, "data set: label of row ", rows_[i], " is ",
                           labels_[i], "; must be >= 0 and < ", classes);
  }
  /// Of `count` samples and their labels.
  [[nodiscard]] std::uint64_t bytes(index_t count) const {
    return static_cast<std::uint64_t>(count) *
           (static_cast<std::uint64_t>(sample_.size()) * sizeof(T) + sizeof(std::int32_t));
  }
  [[nodiscard]] std::span<const T> x() const {
    return std::span(x_).first(rows_.size() * static_cast<std::size_t>(sample_.size()));
  }
  [[nodiscard]] std::span<const std::int32_t> labels() const { return std::span(labels_).first(rows_.size()); }
  /// Where in the data set the samples that were taken are.
  [[nodiscard]] std::span<const index_t> rows() const noexcept { return rows_; }

 private:
  static constexpr std::uint64_t shuffle_streams = std::uint64_t{1} << 32;  // apart from the parameters' streams
  const dataset* data_;
  shape sample_;
  std::vector<index_t> order_;
  std::vector<T> x_;
  std::vector<float> single_;
  std::vector<std::int32_t> labels_;
  std::span<const index_t> rows_;  // of order_
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
