// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <ridgepoint/mxu/chip_json.hpp>
#include <ridgepoint/mxu/chips.hpp>

namespace tool {

/// Returns a published chip by name, or one from a file ending in .json. Throws: value_error, data_error.
inline ridgepoint::tpu::chip chip_named(const std::string& name) {
  return name.ends_with(".json") ? ridgepoint::tpu::load_chip(name) : ridgepoint::tpu::find_chip(name);
}

}  // namespace tool
