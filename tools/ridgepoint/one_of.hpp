// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <ridgepoint/core/nearest_name.hpp>

namespace tool {

/// For transform(): replaces one of these names in any case by its spelling here; leaves other text unchanged.
[[nodiscard]] inline CLI::Validator in_any_case(const std::vector<std::string>& names) {
  const auto rename = [=](std::string& text) -> std::string {
    for (const std::string& name : names)
      if (ridgepoint::same_name(name, text)) text = name;
    return "";
  };
  return {rename, ""};
}

/// For transform(): accepts only one of these names, in any case; the error suggests the nearest name.
[[nodiscard]] inline CLI::Validator one_of(const std::vector<std::string>& names) {
  const CLI::IsMember member(names);
  const auto refusal = [=](std::string& text) -> std::string {
    static_cast<void>(in_any_case(names)(text));
    const std::string wrong = member(text);
    return wrong.empty() ? wrong : wrong + ridgepoint::did_you_mean(text, {names.begin(), names.end()});
  };
  return {refusal, member.get_description()};
}

/// Accepts only the names in a map.
template <class Map>
  requires requires { typename Map::mapped_type; }
[[nodiscard]] CLI::Validator one_of(const Map& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const auto& [name, value] : all) names.push_back(name);
  return one_of(names);
}

}  // namespace tool
