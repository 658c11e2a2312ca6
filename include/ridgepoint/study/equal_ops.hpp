// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/roofline/profile.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Modelled ops that are equal but for their names.
template <class Op>
struct equal_ops {
  const Op* first = nullptr;
  std::uint64_t times = 0;
  double total_s = 0;
  work receipt = {};        // of all
  std::uint64_t bytes = 0;  // that memory moves for all
};

/// Equal ops together, in the order in which the first of each occurs.
template <class Op>
[[nodiscard]] std::vector<equal_ops<Op>> group_equal(const std::vector<Op>& ops) {
  std::vector<equal_ops<Op>> groups;
  std::map<std::tuple<pass, std::string, double>, std::size_t> place_of;
  for (const Op& op : ops) {
    const auto [found, added] = place_of.try_emplace({op.pass, op.shape, op.elapsed_s}, groups.size());
    if (added) groups.push_back({&op});
    equal_ops<Op>& group = groups[found->second];
    group.times += op.repeat;
    group.total_s += op.total_s();
    group.receipt += op.receipt * op.repeat;
    group.bytes += static_cast<std::uint64_t>(op.bytes) * op.repeat;
  }
  return groups;
}
/// The same, those that take longest first.
template <class Op>
[[nodiscard]] std::vector<equal_ops<Op>> longest_first(const std::vector<Op>& ops) {
  std::vector<equal_ops<Op>> groups = group_equal(ops);
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.total_s > b.total_s; });
  return groups;
}

/// A row for each group of equal ops, each of which `machines` do at the same time.
template <class Op>
[[nodiscard]] std::vector<profile_row> profile_rows(const std::vector<Op>& ops, std::uint64_t machines = 1) {
  std::vector<profile_row> rows;
  for (const equal_ops<Op>& group : group_equal(ops)) {
    const Op& op = *group.first;
    rows.push_back({.layer = group.times > 1 ? concat(op.name, " ×", group.times) : op.name,
                    .pass = op.pass,
                    .shape = op.shape,
                    .receipt = group.receipt * machines,
                    .elapsed_s = group.total_s,
                    .footprint_bytes = group.bytes * machines,
                    .launches = op.launches() * group.times});
  }
  return rows;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
