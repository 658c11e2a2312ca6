// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include <ridgepoint/ops/embedding.hpp>
#include <ridgepoint/ops/embedding_rows.hpp>
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

/// rows(k) ← the k-th smallest id in range; sums(k, j) ← Σ_i [ids(i) = rows(k)]·dy(i, j), in order of i, in double;
/// −1 and 0 after the last.
template <scalar T>
void execute(const reference_backend&, const embedding_rows_args<T>& a) {
  using wide = accumulator_t<T>;
  std::map<index_t, std::vector<wide>> sums;
  std::vector<wide> nowhere(static_cast<std::size_t>(a.width), wide(0));
  for (index_t i = 0; i < a.tokens; ++i) {
    const index_t row = a.ids[i];
    const bool known = row >= 0 && row < a.vocabulary;
    std::vector<wide>& sum = known ? sums.try_emplace(row, nowhere.size(), wide(0)).first->second : nowhere;
    for (index_t j = 0; j < a.width; ++j) {
      wide& to = sum[static_cast<std::size_t>(j)];
      to = to + wide(a.dy[i * a.width + j]);
    }
  }
  auto next = sums.begin();
  for (index_t k = 0; k < a.tokens; ++k) {
    const bool there = next != sums.end();
    a.rows[k] = there ? static_cast<std::int32_t>(next->first) : -1;
    for (index_t j = 0; j < a.width; ++j)
      a.sums[k * a.width + j] = there ? T(next->second[static_cast<std::size_t>(j)]) : T(0.0);
    if (there) ++next;
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
