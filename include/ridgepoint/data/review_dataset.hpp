// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <ridgepoint/data/review_files.hpp>
#include <ridgepoint/data/word_vocabulary.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Reviews as `length` ids each, for nn::embedding: of a longer one the last ids are kept, before a shorter one there
/// is padding, as Keras' pad_sequences() does. Targets are 1 for a positive review and 0 for a negative one: one value
/// each, for nn::binary_cross_entropy, or labels of two classes if Target is std::int32_t.
///
/// Kept are ids, not padding.
/// Example:
///   const rp::review_dataset<float> data({{1, 4}, {1}}, {rp::sentiment::positive, rp::sentiment::negative}, 100);
template <class Target>
class review_dataset final : public dataset_for<Target> {
 public:
  /// Throws: value_error for a length below 1, and for an id from 2²⁴ on, since data sets give ids as floats;
  /// shape_error unless every review has a sentiment.
  review_dataset(std::vector<std::vector<std::int32_t>> reviews, std::vector<sentiment> kinds, index_t length)
      : reviews_(std::move(reviews)), kinds_(std::move(kinds)), length_(length) {
    require<value_error>(length >= 1, "review_dataset: length is ", length, "; must be >= 1");
    require<shape_error>(reviews_.size() == kinds_.size(), "review_dataset: ", reviews_.size(), " reviews with ",
                         kinds_.size(), " sentiments; must be as many");
    for (auto& review : reviews_) {
      const auto size = static_cast<index_t>(review.size());
      review.erase(review.begin(), review.end() - (std::min)(size, length));
      review.shrink_to_fit();
      for (const std::int32_t id : review)
        require<value_error>(id >= 0 && id < most_ids, "review_dataset: an id is ", id, "; must be >= 0 and < ",
                             most_ids);
    }
  }
  static constexpr std::int32_t most_ids = 1 << 24;

  [[nodiscard]] index_t size() const override { return static_cast<index_t>(reviews_.size()); }
  [[nodiscard]] shape sample_shape() const override { return {length_}; }
  [[nodiscard]] int classes() const override { return std::same_as<Target, std::int32_t> ? 2 : 0; }
  [[nodiscard]] gathering gathered() const override { return gathering::on_any_threads; }
  void gather(std::span<const index_t> rows, float* x, Target* targets) const override {
    for (const index_t row : rows) {
      const auto& review = reviews_[static_cast<std::size_t>(row)];
      x = std::fill_n(x, length_ - static_cast<index_t>(review.size()), float{word_ids::padding});
      x = std::copy(review.begin(), review.end(), x);
      *targets++ = static_cast<Target>(kinds_[static_cast<std::size_t>(row)]);
    }
  }

 private:
  std::vector<std::vector<std::int32_t>> reviews_;
  std::vector<sentiment> kinds_;
  index_t length_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
