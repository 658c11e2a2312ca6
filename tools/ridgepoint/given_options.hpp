// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include <ridgepoint/core/concat.hpp>

#include "measurement/flags/shell_word.hpp"

namespace tool {

/// Returns the options that the user gave to a command, but `except`, for a shell: " --batch 8 --set layers=2".
/// Positional arguments are left out.
[[nodiscard]] inline std::string given_options(const CLI::App& app, std::string_view except) {
  std::string text;
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_positional() || option->get_name() == except) continue;
    const bool is_flag = option->get_expected_max() == 0;
    for (const std::string& value : option->results())
      text += ridgepoint::concat(' ', option->get_name(), is_flag ? "" : ' ' + measurement::shell_word(value));
  }
  return text;
}

}  // namespace tool
