// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ridgepoint/cuda/runtime/cudnn_descriptor.hpp>

namespace described {

/// Returns a device's properties in cuDNN's format, JSON.
inline std::string json_of(const ridgepoint::detail::cudnn_descriptor& device) {
  constexpr std::int64_t most = 1 << 16;
  const std::vector<char> text = device.values<char>(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, most);
  return std::string(text.begin(), text.end()).c_str();
}

}  // namespace described
