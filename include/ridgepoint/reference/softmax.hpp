// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include <ridgepoint/ops/softmax.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i, j) ← e^(x(i, j) − max_i) / Σ_j e^(x(i, j) − max_i), summed in double.
template <scalar T>
void execute(const reference_backend&, const softmax_args<T>& s) {
  using std::exp;
  using wide = accumulator_t<T>;
  std::vector<wide> e(static_cast<std::size_t>(s.x.cols), wide(0));
  for (index_t i = 0; i < s.x.rows; ++i) {
    auto max = static_cast<wide>(-std::numeric_limits<double>::infinity());
    wide sum(0);
    for (index_t j = 0; j < s.x.cols; ++j)
      if (wide x = wide(s.x(i, j)); x > max) max = x;
    for (index_t j = 0; j < s.x.cols; ++j) {
      auto& e_j = e[static_cast<std::size_t>(j)];
      e_j = exp(wide(s.x(i, j)) - max);
      sum = sum + e_j;
    }
    const wide scale = wide(1) / sum;
    for (index_t j = 0; j < s.x.cols; ++j) s.y(i, j) = T(e[static_cast<std::size_t>(j)] * scale);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
