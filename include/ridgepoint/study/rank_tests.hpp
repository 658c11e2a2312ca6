// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

namespace detail {

/// Twice the rank of each value among all, 2 for the smallest; equal values share the mean of their ranks, which
/// doubled is an integer.
[[nodiscard]] inline std::vector<std::size_t> doubled_ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size()), ranks(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && exactly(values[order[end]], values[order[first]])) ++end;
    for (std::size_t i = first; i < end; ++i) ranks[order[i]] = first + end + 1;
  }
  return ranks;
}

/// How many of the ways to choose from the ranks lead to each sum: of `take` of them, or of any number of them.
/// Up to 2^most_exact ways, all exact in double.
inline constexpr std::size_t most_exact = 40;
[[nodiscard]] inline std::vector<double> sums_of_some(const std::vector<std::size_t>& ranks, std::size_t take) {
  const std::size_t total = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<std::vector<double>> ways(take + 1, std::vector<double>(total + 1));
  ways[0][0] = 1;
  for (const std::size_t rank : ranks)
    for (std::size_t taken = take; taken > 0; --taken)
      for (std::size_t sum = total; sum >= rank; --sum) ways[taken][sum] += ways[taken - 1][sum - rank];
  return ways[take];
}
[[nodiscard]] inline std::vector<double> sums_of_any(const std::vector<std::size_t>& ranks) {
  std::vector<double> ways(std::accumulate(ranks.begin(), ranks.end(), std::size_t{1}));
  ways[0] = 1;
  for (const std::size_t rank : ranks)
    for (std::size_t sum = ways.size() - 1; sum >= rank; --sum) ways[sum] += ways[sum - rank];
  return ways;
}

/// Share of the ways whose sum is at least as far from the mean as `sum` is.
[[nodiscard]] inline double share_as_far(const std::vector<double>& ways, double mean, double sum) {
  double as_far = 0, all = 0;
  for (std::size_t s = 0; s < ways.size(); ++s) {
    all += ways[s];
    if (std::abs(static_cast<double>(s) - mean) >= std::abs(sum - mean)) as_far += ways[s];
  }
  return as_far / all;
}
/// The same of a normal distribution that stands for sums of doubled ranks, which are 2 apart.
[[nodiscard]] inline double normal_as_far(double distance, double variance) {
  return variance > 0 ? std::erfc((std::max)(0.0, std::abs(distance) - 1) / std::sqrt(2 * variance)) : 1;
}

}  // namespace detail

/// Probability that samples of one distribution, split at random, differ by their ranks as much as a and b do: the
/// two-sided Mann–Whitney U test. Exact up to 40 samples in all, with ties as well; beyond that normal.
///
/// Ranks do not see how slow the slowest sample was, and nothing is assumed of the noise but that a and b have the
/// same. Throws: value_error if there are none of one.
/// Example: mann_whitney({1, 2, 3}, {4, 5, 6}) == 0.1                          // 2 of 20 ways to split them
[[nodiscard]] inline double mann_whitney(const std::vector<double>& a, const std::vector<double>& b) {
  require<value_error>(!a.empty() && !b.empty(), "mann_whitney: ", a.size(), " and ", b.size(),
                       " samples; must be at least 1 of each");
  std::vector<double> all(a);
  all.insert(all.end(), b.begin(), b.end());
  const std::vector<std::size_t> ranks = detail::doubled_ranks(all);
  const auto split = ranks.begin() + static_cast<std::ptrdiff_t>(a.size());
  const auto sum = static_cast<double>(std::accumulate(ranks.begin(), split, std::size_t{0}));
  const auto n = static_cast<double>(all.size()), in_a = static_cast<double>(a.size());
  const double mean = in_a * (n + 1);
  if (all.size() <= detail::most_exact) return detail::share_as_far(detail::sums_of_some(ranks, a.size()), mean, sum);
  double squares = 0;
  for (const std::size_t rank : ranks) squares += std::pow(static_cast<double>(rank) - (n + 1), 2);
  return detail::normal_as_far(sum - mean, in_a * (n - in_a) / (n * (n - 1)) * squares);
}

/// Probability that differences as likely up as down lean to one side as much as these: the two-sided Wilcoxon signed
/// rank test, for samples taken in pairs. Zeros are left out. Exact up to 40 differences; beyond that normal.
/// Example: signed_rank({1, 2, 3, 4, 5, 6}) == 0.03125                         // 2 of 64 choices of signs
[[nodiscard]] inline double signed_rank(const std::vector<double>& differences) {
  std::vector<double> sizes;
  std::vector<bool> up;
  for (const double d : differences)
    if (!exactly(d, 0)) sizes.push_back(std::abs(d)), up.push_back(d > 0);
  const std::vector<std::size_t> ranks = detail::doubled_ranks(sizes);
  double sum = 0, mean = 0, variance = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto rank = static_cast<double>(ranks[i]);
    sum += up[i] ? rank : 0;
    mean += rank / 2;
    variance += rank * rank / 4;
  }
  if (ranks.size() <= detail::most_exact) return detail::share_as_far(detail::sums_of_any(ranks), mean, sum);
  return detail::normal_as_far(sum - mean, variance);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
