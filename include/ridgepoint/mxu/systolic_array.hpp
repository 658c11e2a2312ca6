// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/output_array.hpp>
#include <ridgepoint/mxu/stationary_array.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// An R×C systolic array that computes products cycle by cycle, as the hardware would: the ground truth of this folder.
///
/// The result is, bit for bit, a contract (docs/tpu.md): operands are rounded to Format on entry; a partial sum starts
/// at 0 and takes its products in the order of k; products and sums are rounded to float (int8: int32, wrapping), never
/// fused. Weight- and input-stationary cut k into folds of R and add the folds' sums in order, as array_gemm with
/// depth R; output-stationary adds all of k in one chain.
/// The counters are those of count_cycles(), which gives them without running.
/// Example:
///   rp::systolic::systolic_array<rp::bfloat16, 32, 32> array;
///   const auto counters = array.multiply(a, b, c);                       // counters.cycles, c
///   array.multiply(a, b, c, [](const auto& now) { /* now.cycle(), now.sum_at(r, c), now.position_at(r, c) … */ });
template <array_format Format, int R, int C>
class systolic_array : public array_extents<R, C> {
  static_assert((R == 0 && C == 0) || (R >= 1 && C >= 1 && R <= 128 && C <= 128),
                "systolic_array: rows and columns must be 1 to 128, or both 0");

 public:
  using array_extents<R, C>::shape;
  using operand = array_operand_t<Format>;
  using result = array_sum_t<Format>;

  /// Throws: value_error for an option out of range.
  explicit systolic_array(const array_options& options = {}) requires(R > 0) : options_(options) {
    check(shape, {1, 1, 1}, options);
  }
  /// An array of <0, 0>: its size is known when running.
  systolic_array(const array_shape& array, const array_options& options) requires(R == 0)
      : array_extents<R, C>(array), options_(options) {
    check(array, {1, 1, 1}, options);
    require<shape_error>(array.rows <= 128 && array.cols <= 128, "systolic_array: is ", array.rows, 'x', array.cols,
                         "; each side must be 1 to 128");
  }

  [[nodiscard]] const array_options& options() const noexcept { return options_; }

  /// C ← A·B for a (m×k), b (k×n), c (m×n); observe(state) after every cycle of every array, one array after another.
  /// c must not overlap a or b.
  /// Throws: shape_error if the extents disagree, one is 0 or a pointer is null; c is then untouched.
  template <class Observer>
  array_counters multiply(matrix_view<const operand> a, matrix_view<const operand> b, matrix_view<result> c,
                          Observer&& observe) const {
    require<shape_error>(a.cols == b.rows && c.rows == a.rows && c.cols == b.cols, "systolic array: a is ", a,
                         ", b is ", b, ", c is ", c, "; must be m x k, k x n and m x n");
    const gemm_extent extent{.m = a.rows, .k = a.cols, .n = b.cols};
    check(shape, extent, options_);
    require<shape_error>(a.data != nullptr && b.data != nullptr && c.data != nullptr,
                         "systolic array: a, b or c is a null pointer; must point to its elements");
    const bool swapped = options_.flow == dataflow::input_stationary;
    const auto x = pack<Format>(swapped ? b.transposed() : a), w = pack<Format>(swapped ? a.transposed() : b);
    const auto arrays = cut_into_tiles(shape, extent, options_).arrays;
    array_counters total;
    std::uint64_t busy = 0;
    for (std::uint64_t i = 0; i < arrays; ++i) {
      const tile_walk tiles(shape, extent, options_, i);
      array_counters one;
      if (options_.flow == dataflow::output_stationary) {
        output_array<Format, R, C> on(tiles, x, w, extent.k, extent.n, c, options_.accumulator_planes);
        one = on.run(observe);
      } else {
        stationary_array<Format, R, C> on(tiles, x, w, extent.k, swapped ? extent.m : extent.n,
                                          swapped ? c.transposed() : c, options_.fetch_cycles * arrays,
                                          static_cast<std::uint64_t>(options_.fifo_depth));
        one = on.run(observe);
      }
      busy += one.cycles;
      total = side_by_side(total, one);
    }
    total.idle = total.cycles * static_cast<std::uint64_t>(options_.mxus) - busy;
    return total;
  }
  array_counters multiply(matrix_view<const operand> a, matrix_view<const operand> b, matrix_view<result> c) const {
    return multiply(a, b, c, [](const auto&) {});
  }

 private:
  array_options options_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic
