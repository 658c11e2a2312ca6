// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/nearest_name.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// "k80, p100, v100"
template <class Range>
[[nodiscard]] std::string names_of(const Range& all) {
  std::string names;
  for (const auto& one : all) names += (names.empty() ? "" : ", ") + one.name;
  return names;
}

/// Finds the element with this name, ignoring case; `what` starts the error message.
/// Throws: value_error with the known names if the name is unknown.
/// Example: find_named(published_machines(), "v100", "machine: no machine")
template <class Range>
[[nodiscard]] const auto& find_named(const Range& all, std::string_view name, std::string_view what) {
  for (const auto& one : all)
    if (same_name(one.name, name)) return one;
  std::vector<std::string_view> known;
  known.reserve(std::size(all));
  for (const auto& one : all) known.emplace_back(one.name);
  throw value_error(concat(what, " is called ", name, "; must be one of ", names_of(all), did_you_mean(name, known)));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
