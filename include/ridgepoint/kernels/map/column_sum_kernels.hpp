// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/kernel.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Rows of `channels` elements, several combined into one row of at least four registers, so that registers are full
/// even for few channels. Element j of a wide row belongs to channel j mod channels.
struct wide_rows {
  index_t width, rows, rest;  // `rest` elements after the last full row

  [[nodiscard]] static wide_rows of(index_t rows_, index_t channels, index_t lanes) noexcept {
    const index_t together = std::clamp<index_t>(ceil_div(4 * lanes, channels), 1, std::max<index_t>(rows_, 1));
    return {together * channels, rows_ / together, rows_ % together * channels};
  }
  /// Returns rows [begin, end); a range that ends at the last row includes the rest.
  [[nodiscard]] wide_rows part(index_t begin, index_t end) const noexcept {
    return {width, end - begin, end == rows ? rest : 0};
  }
};

/// Count, mean and Σ (x − mean)² of some values, combinable with moments of other values (Chan, Golub, LeVeque). The
/// mean is centre + beyond: means near each other combine without loss of digits.
struct moments {
  double count = 0, centre = 0, beyond = 0, squares = 0;

  void add(const moments& other) noexcept {
    if (exactly(other.count, 0)) return;
    if (exactly(count, 0)) {
      *this = other;
      return;
    }
    const double all = count + other.count, share = other.count / all;
    const double distance = (other.centre - centre) + (other.beyond - beyond);
    squares += other.squares + distance * distance * count * share;
    beyond += std::isfinite(distance) ? distance * share : other.beyond;
    count = all;
  }
  [[nodiscard]] double mean() const noexcept { return centre + beyond; }
  /// Returns the biased variance. Rounding must not make it negative; a NaN stays.
  [[nodiscard]] double variance() const noexcept { return squares < 0 ? 0 : squares / count; }
};

/// Sum with the error of its additions (Knuth's TwoSum).
struct exact_sum {
  double sum = 0, lost = 0;

  void add(const exact_sum& other) noexcept {
    const double total = sum + other.sum, added = total - sum;
    lost += ((sum - (total - added)) + (other.sum - added)) + other.lost;
    sum = total;
  }
  [[nodiscard]] double value() const noexcept { return std::isfinite(sum) ? sum + lost : sum; }
};

/// Σ dy and Σ dy·(x − centre).
struct product_sums {
  exact_sum sum = {}, product = {};

  void add(const product_sums& other) noexcept {
    sum.add(other.sum);
    product.add(other.product);
  }
};

/// Σ dy and Σ dy·(normalised value), for the gradients of beta and gamma alone.
struct weight_sums {
  double sum = 0, product = 0;

  void add(const weight_sums& other) noexcept {
    sum += other.sum;
    product += other.product;
  }
};

/// Adds the sums of `channels` channels of all parts to the sums of the first part, in the order of the parts.
template <class Sum>
void add_parts(Sum* of_parts, index_t parts, index_t channels) noexcept {
  for (index_t i = channels; i < parts * channels; ++i) of_parts[i % channels].add(of_parts[i]);
}

/// Number of rows summed in T before being added to sums in double. A double's sum inherits the error of these partial
/// sums, and all pixels of an image inherit that of the double.
template <class T>
inline constexpr index_t summed_rows = sizeof(T) < sizeof(double) ? 256 : 32;

/// Working memory of column sums: one T per column for each member.
template <class T>
struct column_sums {
  T *centre, *sums, *products;
};

/// sums(j) ← Σ_i a(i, j) for columns [begin, end) of a matrix with contiguous rows; always in the same order. bfloat16
/// sums are computed in float and rounded once.
template <class T>
struct column_sum {
  static constexpr auto id = kernel_id<T>("column_sum");
  static void run(const matrix_view<const T>& a, T* sums, index_t begin, index_t end) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/map/column_sum.hpp>
#endif
