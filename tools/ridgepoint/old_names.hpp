// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/nearest_name.hpp>

namespace tool {

/// Returns the command that replaces one with a former name, or "" for other words. To be removed after the first
/// release.
/// Example: new_spelling({"tpu", "validate", "--data", "."}) is "validate tpu --data ."
[[nodiscard]] inline std::string new_spelling(const std::vector<std::string>& words) {
  const auto is = [&](std::size_t i, std::string_view name) {
    return i < words.size() && ridgepoint::same_name(words[i], name);
  };
  const auto from = [&](std::size_t i) {
    std::string text;
    for (; i < words.size(); ++i) text += ' ' + words[i];
    return text;
  };
  if (is(0, "versus")) return "bench" + from(1);
  const char* const machines = is(0, "tpu")     ? "tpu-v2"
                               : is(0, "gpu")   ? "v100"
                               : is(0, "chart") ? "host,h200,tpu-v3"
                                                : "";
  if (*machines == '\0') return "";
  if (is(0, "tpu") && is(1, "sweep"))
    return ridgepoint::concat("sweep ", words.size() > 2 && !words[2].starts_with('-') ? words[2] : "fc",
                              " --on tpu-v2");
  for (const char* command : {"validate", "calibrate"})
    if (is(1, command)) return ridgepoint::concat(command, is(0, "tpu") ? " tpu" : " gpu", from(2));
  const bool named = words.size() > 1 && !words[1].starts_with('-');
  return ridgepoint::concat("roofline ", named ? words[1] : "NETWORK", " --on ", machines);
}

}  // namespace tool
