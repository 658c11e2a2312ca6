// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include <ridgepoint/core/types.hpp>

/// \file
/// Plain data of sums over the columns of dense rows. Only kernels may add moments: compilers contract their products
/// for instruction sets that have FMA.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Rows of `channels` elements, several of them taken as one of at least four registers: then no register is partly
/// filled for few channels. Element j of a wide row is of channel j mod channels.
struct wide_rows {
  index_t width, rows, rest;  // `rest` elements after the last whole row

  [[nodiscard]] static wide_rows of(index_t rows_, index_t channels, index_t lanes) noexcept {
    const index_t together = std::clamp<index_t>(ceil_div(4 * lanes, channels), 1, std::max<index_t>(rows_, 1));
    return {together * channels, rows_ / together, rows_ % together * channels};
  }
  /// Rows [begin, end); those that end at the last row have the rest.
  [[nodiscard]] wide_rows part(index_t begin, index_t end) const noexcept {
    return {width, end - begin, end == rows ? rest : 0};
  }
};

/// Count, mean and Σ (x − mean)² of some values, which can be put together with those of others (Chan, Golub, LeVeque).
/// The mean is centre + beyond: between means that are near each other no digits are lost.
struct moments {
  double count = 0, centre = 0, beyond = 0, squares = 0;

  void add(const moments& other) noexcept {
    if (exactly(other.count, 0)) return;
    if (exactly(count, 0)) {
      *this = other;
      return;
    }
    const double all = count + other.count, share = other.count / all;
    const double apart = (other.centre - centre) + (other.beyond - beyond);
    squares += other.squares + apart * apart * count * share;
    beyond += std::isfinite(apart) ? apart * share : other.beyond;
    count = all;
  }
  [[nodiscard]] double mean() const noexcept { return centre + beyond; }
  /// The biased one. Rounding must not make it negative; a NaN stays.
  [[nodiscard]] double variance() const noexcept { return squares < 0 ? 0 : squares / count; }
};

/// A sum with what its additions have lost (Knuth's TwoSum).
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

/// Σ dy and Σ dy·(what is normalised), for the gradients of beta and gamma alone.
struct weight_sums {
  double sum = 0, product = 0;

  void add(const weight_sums& other) noexcept {
    sum += other.sum;
    product += other.product;
  }
};

/// Adds the sums of `channels` channels in each of all parts to those of the first, in the order of the parts.
template <class Sum>
void add_parts(Sum* of_parts, index_t parts, index_t channels) noexcept {
  for (index_t i = channels; i < parts * channels; ++i) of_parts[i % channels].add(of_parts[i]);
}

/// Rows that are summed in T before they are added to sums in double. The error of a double's sum is that of its
/// elements: all of an image's pixels inherit it.
template <class T>
inline constexpr index_t summed_rows = sizeof(T) < sizeof(double) ? 256 : 32;

/// Working memory of a column's sums: a number of T per column each.
template <class T>
struct column_sums {
  T *centre, *sums, *products;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
