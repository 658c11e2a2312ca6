// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include <ridgepoint/core/float16.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/ops/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Input format of a systolic array: bf16 (rounded from float on entry, to nearest even) and float accumulate in float,
/// int8 in int32.
template <class Format>
concept array_format =
    std::same_as<Format, bfloat16> || std::same_as<Format, float> || std::same_as<Format, std::int8_t>;
/// The type of an operand in memory.
template <array_format Format>
using array_operand_t = std::conditional_t<std::same_as<Format, std::int8_t>, std::int8_t, float>;
/// The type of a sum.
template <array_format Format>
using array_sum_t = std::conditional_t<std::same_as<Format, std::int8_t>, std::int32_t, float>;

/// C ← A·B, or C ← C + A·B, in the summation order of a systolic array of `depth` rows.
///
/// The k products of an element are split into folds of `depth`, the last one shorter. A fold's partial sum starts at 0
/// and adds its products from the top row of the array to the bottom row; folds are then added to C in order. Every
/// product is rounded to float before it is added and every sum is rounded: no fused multiply-add. (Products of two
/// bf16 are exact, so rounding changes them only beyond float's range: overflow and denormals.) int32 sums wrap.
template <array_format Format>
struct array_gemm_args {
  static constexpr std::string_view name = "array_gemm";
  matrix_view<const array_operand_t<Format>> a, b;  // m×k, k×n, as gemm's
  matrix_view<array_sum_t<Format>> c;               // m×n, columns adjacent
  index_t depth = 128;
  bool accumulate = false;  // false never reads c
};

/// The array products a backend must have for mxu to run on it.
using array_ops = type_list<array_gemm_args<bfloat16>, array_gemm_args<float>, array_gemm_args<std::int8_t>>;

template <array_format Format>
[[nodiscard]] constexpr auto operands(const array_gemm_args<Format>& g) noexcept {
  return std::array{operand::input("a", g.a), operand::weight("b", g.b),
                    g.accumulate ? operand::sum("c", g.c) : operand::output("c", g.c)};
}

/// Receipt: 2·m·n·k matrix FLOP, as for gemm; every operand once.
template <array_format Format>
[[nodiscard]] constexpr work receipt(const array_gemm_args<Format>& g) noexcept {
  const auto m = static_cast<std::uint64_t>(g.c.rows), n = static_cast<std::uint64_t>(g.c.cols),
             k = static_cast<std::uint64_t>(g.a.cols);
  traffic bytes = traffic_of(operands(g));
  bytes.type = element_of<Format>;  // as multiplied, not as stored
  return {.flop = 2 * m * n * k, .matrix_flop = 2 * m * n * k, .bytes = bytes};
}

/// Throws: shape_error if extents disagree, a pointer is null, rows of a or b overlap or the columns of c are not
/// adjacent; value_error unless 1 ≤ depth ≤ 1024 (up to there a fold's sum of int8 products is an exact float).
template <array_format Format>
void check(const array_gemm_args<Format>& g) {
  require<shape_error>(g.a.rows >= 0 && g.a.cols >= 0 && g.b.cols >= 0 && g.a.cols == g.b.rows, "array_gemm: a is ",
                       g.a, ", b is ", g.b, "; extents must be >= 0 and a.cols equal b.rows");
  require<shape_error>(g.c.rows == g.a.rows && g.c.cols == g.b.cols, "array_gemm: c is ", g.c, "; must be ", g.a.rows,
                       'x', g.b.cols);
  detail::check_line_distance("array_gemm", "a", g.a);
  detail::check_line_distance("array_gemm", "b", g.b);
  require<shape_error>(g.c.cols <= 1 || g.c.col_stride == 1, "array_gemm: c is ", g.c,
                       "; its columns must be adjacent");
  const bool some_c = g.c.rows > 0 && g.c.cols > 0, some_k = g.a.cols > 0;
  require<shape_error>(
      (!some_c || g.c.data != nullptr) && (!some_c || !some_k || (g.a.data != nullptr && g.b.data != nullptr)),
      "array_gemm: a, b or c is a null pointer; must point to its elements");
  require<value_error>(g.depth >= 1 && g.depth <= 1024, "array_gemm: depth is ", g.depth, "; must be 1 to 1024");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
