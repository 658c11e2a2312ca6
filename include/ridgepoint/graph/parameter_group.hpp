// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// How some of a network's parameters are learnt: those whose name ("dense_1.w") the group names. Of several groups
/// that name one, the first counts.
/// Example:
///   {.groups = {{.names = "conv2d_1.*", .frozen = true}, {.names = "*.b", .weight_decay = 0.0}}}
struct parameter_group {
  std::string names;       // * stands for any text: "dense_1.w", "conv2d_1.*", "*.b"
  bool frozen = false;     // they stay as they are, moving statistics too; where a layer's all do, without a gradient
  double rate_factor = 1;  // of the learning rate
  std::optional<double> weight_decay = {};  // instead of the optimiser's
};

namespace detail {

/// Whether `name` is the pattern with some text for each *.
[[nodiscard]] constexpr bool matches(std::string_view pattern, std::string_view name) noexcept {
  std::size_t p = 0, n = 0, star = pattern.npos, behind = 0;  // the last *, and where its text ends so far
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') star = p++, behind = n;
    else if (p < pattern.size() && pattern[p] == name[n]) ++p, ++n;
    else if (star != pattern.npos) p = star + 1, n = ++behind;
    else return false;
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

}  // namespace detail
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
