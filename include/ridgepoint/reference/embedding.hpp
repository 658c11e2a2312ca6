// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include <ridgepoint/ops/embedding.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i, j) ← table(ids(i), j); NaN for an index out of range.
template <scalar T>
void execute(const reference_backend&, const embedding_args<T>& a) {
  for (index_t i = 0; i < a.tokens; ++i)
    for (index_t j = 0; j < a.width; ++j) {
      const index_t row = a.ids[i];
      const bool known = row >= 0 && row < a.vocabulary;
      a.y[i * a.width + j] = known ? a.table[row * a.width + j] : T(std::numeric_limits<double>::quiet_NaN());
    }
}

/// dtable(v, j) ← Σ_i [ids(i) = v]·dy(i, j), in order of i, summed in double.
template <scalar T>
void execute(const reference_backend&, const embedding_backward_args<T>& a) {
  using wide = accumulator_t<T>;
  std::vector<wide> sum(static_cast<std::size_t>(a.vocabulary * a.width), wide(0));
  for (index_t i = 0; i < a.tokens; ++i)
    for (index_t j = 0; j < a.width; ++j) {
      const index_t row = a.ids[i];
      wide nowhere(0);
      const bool known = row >= 0 && row < a.vocabulary;
      wide& to = known ? sum[static_cast<std::size_t>(row * a.width + j)] : nowhere;
      to = to + wide(a.dy[i * a.width + j]);
    }
  for (index_t i = 0; i < a.vocabulary * a.width; ++i) a.dtable[i] = T(sum[static_cast<std::size_t>(i)]);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
