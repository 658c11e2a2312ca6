// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/view.hpp>

namespace test {

using ridgepoint::index_t;

/// Rounding bound of a sum of k products: |fl(x·y) − x·y| ≤ γ(k)·|x|·|y| in any order, γ(k) = k·u / (1 − k·u).
inline double gamma(index_t k) {
  const double ku = static_cast<double>(k) * std::numeric_limits<float>::epsilon() / 2;
  return ku / (1 - ku);
}

/// Matrix of uniform values in [−1, 1), with `gap` elements between rows, stored transposed or not.
class matrix {
 public:
  matrix(index_t rows, index_t cols, ridgepoint::random_stream& random, bool transposed = false, index_t gap = 0)
      : storage_(static_cast<std::size_t>((rows + gap) * (cols + gap))) {
    for (float& v : storage_) v = static_cast<float>(random.uniform(-1, 1));
    view_ = transposed ? ridgepoint::matrix_view<float>(storage_.data(), rows, cols, 1, rows + gap)
                       : ridgepoint::matrix_view<float>(storage_.data(), rows, cols, cols + gap);
  }
  matrix(const matrix& other) : storage_(other.storage_), view_(other.view_) { view_.data = storage_.data(); }
  matrix& operator=(const matrix&) = delete;
  ~matrix() = default;

  [[nodiscard]] ridgepoint::matrix_view<float> view() { return view_; }
  [[nodiscard]] ridgepoint::matrix_view<const float> view() const { return view_; }
  [[nodiscard]] float* data() { return view_.data; }
  [[nodiscard]] double at(index_t i, index_t j) const { return static_cast<double>(view_(i, j)); }
  void fill(float value) { storage_.assign(storage_.size(), value); }

 private:
  std::vector<float> storage_;
  ridgepoint::matrix_view<float> view_;
};

/// Allowed error of oneDNN's sigmoid and tanh: 32 units of 2⁻²⁴. oneDNN documents no bound.
inline constexpr double special_error = 32 * 0x1p-24;

}  // namespace test
