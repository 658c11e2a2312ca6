// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// Which matrix of C(m×n) = A(m×k)·B(k×n) stays in the array while the others move through it.
enum class dataflow {
  weight_stationary,  // a tile of B stays, rows of A stream, sums move down: the TPU's MXU
  output_stationary,  // a tile of C stays, A comes from the left, B from above
  input_stationary,   // a tile of Aᵀ stays, columns of B stream: weight-stationary on Cᵀ = Bᵀ·Aᵀ
};

[[nodiscard]] constexpr std::string_view to_string(dataflow flow) noexcept {
  switch (flow) {
    case dataflow::weight_stationary:
      return "weight-stationary";
    case dataflow::output_stationary:
      return "output-stationary";
    case dataflow::input_stationary:
      break;
  }
  return "input-stationary";
}

/// The extents of C(m×n) = A(m×k)·B(k×n).
struct gemm_extent {
  index_t m = 0, k = 0, n = 0;
  friend constexpr bool operator==(const gemm_extent&, const gemm_extent&) = default;
};

/// A product as an array sees it: what is spread over its rows, what over its columns, and how much streams past.
struct array_mapping {
  index_t over_rows = 0, over_cols = 0, streamed = 0;
};

/// weight-stationary: k over rows, n over columns, m streams. input-stationary: k, m, n. output-stationary: m, n, k.
[[nodiscard]] constexpr array_mapping map_onto(dataflow flow, const gemm_extent& e) noexcept {
  switch (flow) {
    case dataflow::weight_stationary:
      return {e.k, e.n, e.m};
    case dataflow::input_stationary:
      return {e.k, e.m, e.n};
    case dataflow::output_stationary:
      break;
  }
  return {e.m, e.n, e.k};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic
