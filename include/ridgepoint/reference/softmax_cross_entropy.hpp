// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <ridgepoint/ops/softmax_cross_entropy.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// loss ← mean_i ln Σ_j e^(x(i, j) − max_i) + max_i − x(i, label_i), summed in double,
/// dlogits(i, j) ← weight·(p(j) − [j = label_i]) / rows, over the rows whose label is not ignored; 0 for the others. A
/// label out of range makes the loss and the row of dlogits NaN.
template <scalar T>
void execute(const reference_backend&, const softmax_cross_entropy_args<T>& s) {
  using std::exp, std::log;
  using wide = accumulator_t<T>;
  const index_t rows = s.logits.rows, classes = s.logits.cols;
  index_t ignored = 0;
  for (index_t i = 0; i < rows; ++i) ignored += s.ignores(s.labels[i]) ? 1 : 0;
  const auto divisor = static_cast<double>(std::max<index_t>(rows - ignored, 1));
  const auto weight = static_cast<wide>(s.weight / divisor),
             nan = static_cast<wide>(std::numeric_limits<double>::quiet_NaN());
  std::vector<wide> e(static_cast<std::size_t>(classes), wide(0));
  wide loss(0);
  std::uint32_t correct = 0;
  for (index_t i = 0; i < rows; ++i) {
    const std::int32_t label = s.labels[i];
    if (s.ignores(label)) {
      for (index_t j = 0; j < classes && s.dlogits.data != nullptr; ++j) s.dlogits(i, j) = T(0.0);
      continue;
    }
    const bool known = label >= 0 && label < classes;
    auto max = static_cast<wide>(-std::numeric_limits<double>::infinity());
    wide sum(0);
    index_t best = 0;
    for (index_t j = 0; j < classes; ++j)
      if (wide x = wide(s.logits(i, j)); x > max) max = x, best = j;
    for (index_t j = 0; j < classes; ++j) {
      auto& e_j = e[static_cast<std::size_t>(j)];
      e_j = exp(wide(s.logits(i, j)) - max);
      sum = sum + e_j;
    }
    loss = loss + (log(sum) + (max - (known ? wide(s.logits(i, label)) : nan)));
    correct += known && best == label && exactly(wide(s.logits(i, label)), max) ? 1U : 0U;  // not where all are NaN
    if (s.dlogits.data == nullptr) continue;
    const wide scale = known ? weight / sum : nan;
    for (index_t j = 0; j < classes; ++j) {
      wide d = e[static_cast<std::size_t>(j)] * scale;
      if (j == label) d = d - weight;
      s.dlogits(i, j) = T(d);
    }
  }
  s.state->loss = static_cast<double>(loss) / divisor;
  s.state->correct = correct;
  s.state->ignored = static_cast<std::uint32_t>(ignored);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
