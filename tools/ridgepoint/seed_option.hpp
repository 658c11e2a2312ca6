// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "number_option.hpp"

namespace tool {

/// Declares --seed.
inline void add_seed_option(CLI::App& app, std::uint64_t& seed,
                            const std::string& description = "Seed for weights, shuffles and dropout") {
  app.add_option("--seed", seed, description)
      ->check(number_in<std::uint64_t>(0, UINT64_MAX).description(""))
      ->capture_default_str();
}

}  // namespace tool
