// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <ridgepoint/graph/dataset.hpp>

/// The simplest trainable model: softmax of weighted sums of the centred pixels, one sample at a time.
class linear_softmax {
 public:
  linear_softmax(const ridgepoint::dataset& like, float mean, float rate)
      : mean_(mean),
        rate_(rate),
        classes_(static_cast<std::size_t>(like.classes())),
        x_(static_cast<std::size_t>(like.sample_shape().size())),
        w_(x_.size() * classes_),
        b_(classes_),
        z_(classes_) {}

  void learn(const ridgepoint::dataset& from, int epochs) {
    constexpr ridgepoint::index_t stride = 7919;  // neighbours are often similar
    for (ridgepoint::index_t i = 0; i < epochs * from.size(); ++i) {
      const std::size_t label = judge(from, i * stride % from.size());
      const float top = *std::max_element(z_.begin(), z_.end());
      float sum = 0;
      for (float& v : z_) sum += v = std::exp(v - top);
      for (std::size_t c = 0; c < classes_; ++c) z_[c] = rate_ * (z_[c] / sum - (label == c ? 1.0F : 0.0F));
      for (std::size_t c = 0; c < classes_; ++c) b_[c] -= z_[c];
      for (std::size_t p = 0; p < x_.size(); ++p)
        for (std::size_t c = 0; c < classes_; ++c) w_[p * classes_ + c] -= x_[p] * z_[c];
    }
  }
  /// Share of the first `count` samples classified correctly.
  [[nodiscard]] double accuracy(const ridgepoint::dataset& of, ridgepoint::index_t count) {
    int right = 0;
    for (ridgepoint::index_t row = 0; row < count; ++row) {
      const std::size_t label = judge(of, row);
      right += static_cast<std::size_t>(std::max_element(z_.begin(), z_.end()) - z_.begin()) == label ? 1 : 0;
    }
    return right / static_cast<double>(count);
  }

 private:
  /// Leaves the scores of a sample in z_ and the sample in x_; returns its label.
  std::size_t judge(const ridgepoint::dataset& from, ridgepoint::index_t row) {
    std::int32_t label = 0;
    from.gather({&row, 1}, x_.data(), &label);
    for (float& value : x_) value -= mean_;
    z_ = b_;
    for (std::size_t p = 0; p < x_.size(); ++p)
      for (std::size_t c = 0; c < classes_; ++c) z_[c] += x_[p] * w_[p * classes_ + c];
    return static_cast<std::size_t>(label);
  }

  float mean_, rate_;
  std::size_t classes_;
  std::vector<float> x_, w_, b_, z_;
};
