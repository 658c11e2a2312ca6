// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <initializer_list>
#include <string>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Extents of a dense row-major tensor, outermost first: {n, features}, {n, h, w, c}, {t, n, features}.
///
/// A shape of rank 0 is a scalar with one element.
/// Throws: shape_error if an extent is negative, the rank exceeds max_rank, or the element count does not fit.
/// Example:
///   const rp::shape image{128, 28, 28, 1};
///   image.size() == 100352 && image.rank() == 4
class shape {
 public:
  static constexpr int max_rank = 6;

  constexpr shape() = default;
  constexpr shape(std::initializer_list<index_t> extents) : shape(extents.begin(), extents.end()) {}
  template <class Iterator>
  constexpr shape(Iterator first, Iterator last) {
    for (; first != last; ++first) {
      require<shape_error>(rank_ < max_rank, "shape: rank exceeds ", max_rank);
      size_ = checked_mul(size_, *first);
      extent_[static_cast<std::size_t>(rank_++)] = *first;
    }
  }

  [[nodiscard]] constexpr int rank() const noexcept { return rank_; }
  /// Number of elements.
  [[nodiscard]] constexpr index_t size() const noexcept { return size_; }
  /// Returns the extent of one dimension; negative counts from the innermost: shape{2, 3}[-1] == 3.
  /// Throws: shape_error if there is no such dimension.
  [[nodiscard]] constexpr index_t operator[](int dimension) const {
    const int d = dimension < 0 ? dimension + rank_ : dimension;
    require<shape_error>(d >= 0 && d < rank_, "shape: no dimension ", dimension, " in rank ", rank_);
    return extent_[static_cast<std::size_t>(d)];
  }
  [[nodiscard]] constexpr const index_t* begin() const noexcept { return extent_.data(); }
  [[nodiscard]] constexpr const index_t* end() const noexcept { return extent_.data() + rank_; }
  friend constexpr bool operator==(const shape&, const shape&) = default;

 private:
  std::array<index_t, max_rank> extent_{};
  int rank_ = 0;
  index_t size_ = 1;
};

/// Formats as "128x28x28x1"; "scalar" for rank 0.
[[nodiscard]] inline std::string to_string(const shape& s) {
  if (s.rank() == 0) return "scalar";
  std::string text;
  for (const index_t extent : s) {
    if (!text.empty()) text += 'x';
    text += concat(extent);
  }
  return text;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
