// SPDX-License-Identifier: MIT
#pragma once

#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace measurement::detail {

using nlohmann::json;

/// Encodes a field that holds a colour or a shape itself.
inline json as_it_is(const char* field) { return {{"field", field}, {"type", "nominal"}, {"scale", nullptr}}; }

/// Encodes fields and their tooltip labels.
inline json tooltip_of(const std::vector<std::pair<const char*, const char*>>& fields) {
  json tooltip = json::array();
  for (const auto& [field, title] : fields)
    tooltip.push_back({{"field", field}, {"title", title}, {"type", "nominal"}});
  return tooltip;
}

}  // namespace measurement::detail
