// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <ridgepoint/core/nearest_name.hpp>

namespace tool {

/// Lets an option be one of these names; what is near to one of them is told which.
[[nodiscard]] inline CLI::Validator one_of(const std::vector<std::string>& names) {
  const CLI::IsMember member(names);
  const auto refusal = [=](std::string& text) -> std::string {
    const std::string wrong = member(text);
    return wrong.empty() ? wrong : wrong + ridgepoint::did_you_mean(text, {names.begin(), names.end()});
  };
  return {refusal, member.get_description()};
}

/// Lets an option be one of the names in a map.
template <class Map>
  requires requires { typename Map::mapped_type; }
[[nodiscard]] CLI::Validator one_of(const Map& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const auto& [name, value] : all) names.push_back(name);
  return one_of(names);
}

}  // namespace tool
