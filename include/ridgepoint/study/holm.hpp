// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Probabilities of many tests, raised so that all that stay below a level are wrong together only that often (Holm).
/// The i-th smallest of m becomes the largest of (m − j)·p_j over j <= i, counted from 0, at most 1.
/// Example: holm({0.01, 0.04, 0.03}) == {0.03, 0.06, 0.06}
[[nodiscard]] inline std::vector<double> holm(const std::vector<double>& probabilities) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return probabilities[i] < probabilities[j]; });
  std::vector<double> raised(probabilities.size());
  double largest = 0;
  for (std::size_t j = 0; j < order.size(); ++j) {
    largest = (std::max)(largest, static_cast<double>(order.size() - j) * probabilities[order[j]]);
    raised[order[j]] = (std::min)(1.0, largest);
  }
  return raised;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
