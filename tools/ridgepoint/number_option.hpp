// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include <ridgepoint/core/concat.hpp>

#include "measurement/decimal.hpp"

namespace tool {

/// Accepts only a decimal number from `least` to `most`. Every numeric option uses it: CLI11 alone takes 0x10 and 010
/// as 16 and 8, -1 as the largest number, and NaN as within any range.
/// Example: app.add_option("--epochs", o->epochs, "Epochs in all")->check(number_in(0, 1'000'000));
template <class T>
[[nodiscard]] CLI::Validator number_in(T least, T most) {
  const auto refusal = [=](const std::string& text) -> std::string {
    const std::optional<T> value = measurement::decimal<T>(text);
    if (value && *value >= least && *value <= most) return "";
    return ridgepoint::concat("is ", text, std::integral<T> ? "; must be an integer from " : "; must be a number from ",
                              least, " to ", most);
  };
  return {refusal, ridgepoint::concat(least, " to ", most)};
}

/// Returns the range of --threads; 0: all cores.
[[nodiscard]] inline CLI::Validator thread_counts() { return number_in(0, 1024); }

}  // namespace tool
