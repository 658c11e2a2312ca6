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

/// Returns a published TPU, or one from a file ending in .json; `option` names the option at fault, as "sweep: --on".
/// Throws: value_error, data_error.
[[nodiscard]] inline ridgepoint::tpu::chip tpu_named(std::string_view option, const std::string& name) {
  if (name.ends_with(".json")) return ridgepoint::tpu::load_chip(name);
  if (const ridgepoint::tpu::chip* const published = published_tpu(name)) return *published;
  const std::vector<std::string> names = tpu_names();
  throw ridgepoint::value_error(ridgepoint::concat(option, " is \"", ridgepoint::printable(name), "\"; must be one of ",
                                                   ridgepoint::names_of(names), ", or a file ending in .json",
                                                   ridgepoint::did_you_mean(name, {names.begin(), names.end()})));
}

}  // namespace tool
