// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include <ridgepoint/core/concat.hpp>

namespace tool {

/// --seed. CLI11 alone would take -1 and what is larger than 64 bits for some other number.
inline void add_seed_option(CLI::App& app, std::uint64_t& seed,
                            const std::string& description = "Of weights, shuffles and dropout") {
  const auto refusal = [](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec == std::errc{} && read.ptr == end) return "";
    return ridgepoint::concat("is ", text, "; must be an integer from 0 to ", UINT64_MAX);
  };
  app.add_option("--seed", seed, description)->check(refusal)->capture_default_str();
}

}  // namespace tool
