// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <ridgepoint/onednn/primitive.hpp>
#include <ridgepoint/ops/recurrent.hpp>

/// \file
/// Gates of a recurrent layer beside the library's primitives, which do not tell them: from y, by products.
namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail {

/// Copies rows of three gates, the first two exchanged: z is before r in the library.
inline void exchange_gates(const float* from, float* to, index_t rows, index_t units) {
  for (index_t row = 0; row < rows; ++row, from += 3 * units, to += 3 * units) {
    std::copy_n(from, units, to + units);
    std::copy_n(from + units, units, to);
    std::copy_n(from + 2 * units, units, to + 2 * units);
  }
}

/// before ← the state that each step starts from: h0, then y but for its last step.
inline void states_before(const recurrent_geometry& g, const float* h0, const float* y, float* before) {
  std::copy_n(h0, g.n * g.units, before);
  std::copy_n(y, g.cells() - g.n * g.units, before + g.n * g.units);
}

/// What gates are the activations of. A row belongs to one sample at one step.
struct gate_sums {
  recurrent_geometry g;
  const float *x, *wx, *wh;  // (rows, in), (in, G·u), (u, G·u)
  float* before;             // (rows, u), a copy of one's own

  [[nodiscard]] index_t rows() const noexcept { return g.steps * g.n; }
  [[nodiscard]] index_t columns() const noexcept { return g.columns(); }
  /// to(rows, count) ← x·wx, of the columns from `first` on; rows of `to` are `stride` apart.
  void of_input(index_t first, index_t count, float* to, index_t stride) const {
    multiply(count, g.in, x, wx + first, 0, to, stride);
  }
  /// to(rows, count) ← keep·to + before·wh, of the columns from `first` on.
  void of_state(index_t first, index_t count, float keep, float* to, index_t stride) const {
    multiply(count, g.units, before, wh + first, keep, to, stride);
  }

 private:
  void multiply(index_t count, index_t depth, const float* from, const float* w, float keep, float* to,
                index_t stride) const {
    call("dnnl_sgemm", [&] {
      dnnl::error::wrap_c_api(
          dnnl_sgemm('N', 'N', rows(), count, depth, 1, from, depth, w, columns(), keep, to, stride),
          "could not multiply");
    });
  }
};

[[nodiscard]] inline float sigmoid_of(float x) { return 1 / (1 + std::exp(-x)); }

/// values ← f(values + bias) of `count` columns; no bias: zeros.
template <class F>
void activate_rows(index_t rows, index_t count, float* values, index_t stride, const float* bias, F&& f) {
  for (index_t row = 0; row < rows; ++row)
    for (index_t j = 0; j < count; ++j) {
      float& v = values[row * stride + j];
      v = f(v + (bias != nullptr ? bias[j] : 0.0F));
    }
}

/// The functions whose arguments can be told from their values: where to look for them, and which they are.
struct inverse_sigmoid {
  static constexpr double least = 0, zero_below = -104, one_above = 18;
  [[nodiscard]] static double slope(double y) { return y * (1 - y); }
  [[nodiscard]] static double argument(double y) { return std::log(y) - std::log1p(-y); }
};
struct inverse_tanh {
  static constexpr double least = -1, zero_below = -18, one_above = 18;
  [[nodiscard]] static double slope(double y) { return 1 - y * y; }
  [[nodiscard]] static double argument(double y) { return std::atanh(y); }
};

/// The bias with which f(sums + bias) = values in `rows` rows of one column.
///
/// It is told by the row where f is steepest: what rounding leaves unknown there changes the values of the other rows,
/// where f is flatter, by less. Where all are at f's ends, by any bias that keeps them there.
template <class Inverse>
[[nodiscard]] float bias_of_column(Inverse, index_t rows, const float* sums, index_t sum_stride, const float* values,
                                   index_t value_stride) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double best = 0, bias = 0, least_of_high = infinity, most_of_low = -infinity;
  for (index_t row = 0; row < rows; ++row) {
    const double sum = static_cast<double>(sums[row * sum_stride]);
    const double value = static_cast<double>(values[row * value_stride]), slope = Inverse::slope(value);
    if (slope > best) best = slope, bias = Inverse::argument(value) - sum;
    else if (slope <= 0 && value <= Inverse::least) most_of_low = (std::max)(most_of_low, sum);
    else if (slope <= 0) least_of_high = (std::min)(least_of_high, sum);
  }
  if (best > 0) return static_cast<float>(bias);
  // What high rows need at least leaves low ones low: some bias suits both, and f's ends are far apart.
  return static_cast<float>(least_of_high < infinity ? Inverse::one_above - least_of_high
                                                     : Inverse::zero_below - most_of_low);
}

/// The same of `count` columns.
template <class Inverse>
void infer_bias(Inverse inverse, const gate_sums& of, index_t count, const float* sums, index_t sum_stride,
                const float* values, index_t value_stride, float* bias) {
  for (index_t j = 0; j < count; ++j)
    bias[j] = bias_of_column(inverse, of.rows(), sums + j, sum_stride, values + j, value_stride);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail
