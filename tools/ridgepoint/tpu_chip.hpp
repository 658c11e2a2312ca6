// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/mxu/chip_json.hpp>
#include <ridgepoint/mxu/chips.hpp>

namespace tool {

/// Returns the published TPU with this name, as "tpu-v3" or "v3"; a null pointer for another name.
[[nodiscard]] inline const ridgepoint::tpu::chip* published_tpu(std::string_view name) {
  for (const ridgepoint::tpu::chip& c : ridgepoint::tpu::published_chips())
    if (ridgepoint::same_name(c.name, name) || ridgepoint::same_name("tpu-" + c.name, name)) return &c;
  return nullptr;
}

/// Returns the names of the published TPUs: "tpu-v3".
[[nodiscard]] inline std::vector<std::string> tpu_names() {
  std::vector<std::string> names;
  for (const ridgepoint::tpu::chip& c : ridgepoint::tpu::published_chips()) names.push_back("tpu-" + c.name);
  return names;
}

/// Returns a published TPU, or one from a file ending in .json. Throws: value_error, data_error.
[[nodiscard]] inline ridgepoint::tpu::chip tpu_named(const std::string& name) {
  if (name.ends_with(".json")) return ridgepoint::tpu::load_chip(name);
  if (const ridgepoint::tpu::chip* const published = published_tpu(name)) return *published;
  const std::vector<std::string> names = tpu_names();
  std::string list;
  for (const std::string& one : names) list += one + ", ";
  throw ridgepoint::value_error(ridgepoint::concat("no TPU is called \"", ridgepoint::printable(name),
                                                   "\"; must be one of ", list, "or a file ending in .json",
                                                   ridgepoint::did_you_mean(name, {names.begin(), names.end()})));
}

}  // namespace tool
