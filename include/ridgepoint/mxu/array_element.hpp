// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <ridgepoint/ops/array_gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// What a processing element computes in: float, or int32 held without sign so that sums wrap.
template <array_format Format>
using array_lane_t = std::conditional_t<std::same_as<Format, std::int8_t>, std::uint32_t, float>;

/// An operand as it enters the array: rounded to the format.
template <array_format Format>
[[nodiscard]] constexpr array_lane_t<Format> enter(array_operand_t<Format> x) noexcept {
  if constexpr (std::same_as<Format, bfloat16>) return static_cast<float>(bfloat16(x));
  else return static_cast<array_lane_t<Format>>(x);
}

/// The operands of a product as the array reads them: row-major, rounded once.
template <array_format Format>
[[nodiscard]] std::vector<array_lane_t<Format>> pack(matrix_view<const array_operand_t<Format>> from) {
  std::vector<array_lane_t<Format>> packed(static_cast<std::size_t>(checked_mul(from.rows, from.cols)));
  for (index_t i = 0; i < from.rows; ++i)
    for (index_t j = 0; j < from.cols; ++j)
      packed[static_cast<std::size_t>(i * from.cols + j)] = enter<Format>(from(i, j));
  return packed;
}

/// Which operand a processing element holds: the tile it belongs to, and its place in that tile's stream.
struct array_position {
  std::uint64_t tile = 0;
  index_t step = 0;
  friend constexpr bool operator==(const array_position&, const array_position&) = default;
};

/// What an array does in a cycle; array_counters sums it up.
enum class array_phase { active, stall, shift, drain };

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic
