// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <vector>

#include <ridgepoint/mxu/array_options.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// A line of registers for each row of an array, a register for each of its columns. All lines shift right by one every
/// cycle and take a new value into column 0.
///
/// Shifting moves the lines' common origin instead of the values; once in `room` cycles they are copied back.
template <class T, int R, int C>
class operand_lines {
 public:
  explicit operand_lines(array_extents<R, C> size)
      : size_(size), values_(static_cast<std::size_t>(size.rows * pitch())) {}

  /// Everything moves one column to the right; column 0 holds zeros until enter().
  void shift() noexcept {
    if (origin_ == 0) {
      for (int r = 0; r < size_.rows; ++r) std::copy_backward(line(r), line(r) + size_.cols, line(r) + pitch());
      origin_ = room;
    }
    --origin_;
    for (int r = 0; r < size_.rows; ++r) *line(r) = T{};
  }
  void enter(int r, T value) noexcept { *line(r) = value; }
  /// The values of row r, column 0 first.
  [[nodiscard]] const T* row(int r) const noexcept { return values_.data() + r * pitch() + origin_; }

 private:
  static constexpr int room = 256;
  [[nodiscard]] int pitch() const noexcept { return size_.cols + room; }
  [[nodiscard]] T* line(int r) noexcept { return values_.data() + r * pitch() + origin_; }

  [[no_unique_address]] array_extents<R, C> size_;
  std::vector<T> values_;
  int origin_ = room;
};

/// sum(c) ← above(c) + a(c)·w(c) for a row of C processing elements, product and sum each rounded.
template <int C, class T>
RIDGEPOINT_INLINE void multiply_add_row(const T* above, const T* a, const T* w, T* sum) noexcept {
  T product[C];
  for (int c = 0; c < C; ++c) product[c] = a[c] * w[c];
  asm volatile("" : : "r"(product) : "memory");  // else compilers may fuse it with the addition
  T next[C];
  for (int c = 0; c < C; ++c) next[c] = above[c] + product[c];
  for (int c = 0; c < C; ++c) sum[c] = next[c];  // above may be sum itself
}

/// The same for rows whose length is known when running.
template <class T>
RIDGEPOINT_INLINE void multiply_add_row(int cols, const T* above, const T* a, const T* w, T* sum) noexcept {
  for (int c = 0; c < cols; ++c) {
    T product = a[c] * w[c];
    asm volatile("" : "+m"(product));  // else compilers may fuse it with the addition
    sum[c] = above[c] + product;
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic

#pragma GCC diagnostic pop
