// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/mxu/mxu.hpp>
#include <ridgepoint/mxu/quantise.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// What an operand needs to enter the array, and a sum to leave it: nothing for bf16 and fp32, which the array rounds
/// itself and sums in float; int8 is quantised before and scaled after. One object is one product.
///
/// The operand that streams (left) has one step; the operand that stays (right) has one per column of the array.
template <array_format Format>
class array_border {
 public:
  static matrix_view<const float> left(matrix_view<const float> v) noexcept { return v; }
  static matrix_view<const float> right(matrix_view<const float> v) noexcept { return v; }
  /// Where the sums of a block of C are made.
  static matrix_view<float> sums(matrix_view<float> c) noexcept { return c; }
  /// c ← sums.
  static void leave(matrix_view<const float>, matrix_view<float>) noexcept {}
};
template <>
class array_border<std::int8_t> {
 public:
  [[nodiscard]] matrix_view<const std::int8_t> left(matrix_view<const float> v) {
    const auto q = memory<struct left_tag, std::int8_t>(v.rows * v.cols);
    streamed_ = quantise_matrix(v, q);
    return {q, v.rows, v.cols};
  }
  [[nodiscard]] matrix_view<const std::int8_t> right(matrix_view<const float> v) {
    const auto q = memory<struct right_tag, std::int8_t>(v.rows * v.cols);
    columns_ = memory<struct columns_tag, quantiser>(v.cols);
    quantise_columns(v, q, columns_);
    return {q, v.rows, v.cols};
  }
  [[nodiscard]] static matrix_view<std::int32_t> sums(matrix_view<float> c) {
    return {memory<struct sums_tag, std::int32_t>(c.rows * c.cols), c.rows, c.cols};
  }
  /// c(i, j) ← sum(i, j)·(step of the left operand · step of column j), in fp32.
  void leave(matrix_view<const std::int32_t> sums, matrix_view<float> c) const {
    const auto scales = memory<struct scales_tag, float>(c.cols);
    for (index_t j = 0; j < c.cols; ++j) scales[j] = static_cast<float>(streamed_.step() * columns_[j].step());
    for (index_t i = 0; i < c.rows; ++i)
      for (index_t j = 0; j < c.cols; ++j) c(i, j) = static_cast<float>(sums(i, j)) * scales[j];
  }

 private:
  template <class Tag, class E>
  [[nodiscard]] static E* memory(index_t elements) {
    return thread_scratch_of<Tag, E>(elements);
  }
  quantiser streamed_;
  quantiser* columns_ = nullptr;
};

/// c ← a·b as the array gives it; the columns of c are adjacent.
template <backend Host>
void array_product(const mxu<Host>& on, matrix_view<const float> a, matrix_view<const float> b, matrix_view<float> c) {
  with_format(on.format(), [&]<class Format>() {
    array_border<Format> border;
    const auto left = border.left(a), right = border.right(b);
    const auto sums = border.sums(c);
    execute(on.host(), array_gemm_args<Format>{.a = left, .b = right, .c = sums, .depth = on.chip().array.rows});
    border.leave(sums, c);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic
