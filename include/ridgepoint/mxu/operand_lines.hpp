// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <vector>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// R lines of C registers that all shift right by one every cycle, taking a new value into column 0.
///
/// Shifting moves the lines' common origin instead of the values; once in `room` cycles they are copied back.
template <class T, int R, int C>
class operand_lines {
 public:
  operand_lines() : values_(static_cast<std::size_t>(R) * pitch) {}

  /// Everything moves one column to the right; column 0 holds zeros until enter().
  void shift() noexcept {
    if (origin_ == 0) {
      for (int r = 0; r < R; ++r) std::copy_backward(line(r), line(r) + C, line(r) + pitch);
      origin_ = room;
    }
    --origin_;
    for (int r = 0; r < R; ++r) *line(r) = T{};
  }
  void enter(int r, T value) noexcept { *line(r) = value; }
  /// The C values of row r, column 0 first.
  [[nodiscard]] const T* row(int r) const noexcept { return values_.data() + r * pitch + origin_; }

 private:
  static constexpr int room = 256, pitch = C + room;
  [[nodiscard]] T* line(int r) noexcept { return values_.data() + r * pitch + origin_; }
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic
