// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "versus_child.hpp"

namespace tool {

/// One implementation with one setting, in its process.
struct contender {
  std::string implementation, setting, about;
  versus_child process;
};

/// What to compare: "64x64x64", the peers' line for it, and what each of them keeps in memory.
struct versus_problem {
  std::string shape, request;
  std::uint64_t operand_bytes = 0;
};

/// The best of one implementation over its settings and rounds.
struct versus_rate {
  double per_s = 0;  // work per second: FLOP, elements or steps
  std::string setting, detail;
};

struct versus_row {
  std::string shape;
  std::map<std::string, versus_rate> rates;    // by implementation
  std::map<std::string, std::string> refused;  // implementation: why it has no rate
  std::string best_peer;                       // empty where there is none
  double ratio = 0;                            // ours ÷ best peer; 0 where one of them is missing
  int rounds = 0;
};

struct versus_options {
  int rounds = 15;
  double window_s = 2e-4;
  std::string ours;  // implementation whose ratio is asked for
  std::function<void(int round)> progress = [](int) {};
};

/// Times one problem: in every round each contender runs one window, in an order that rotates; its rate is the best
/// window's. After three rounds a setting 10 % behind another one of its implementation sits the rest out. Problems
/// that are over quickly get more rounds, the same number for everyone. An implementation named "ceiling.…" is shown
/// but is a peer only where there is no other.
versus_row compare(std::vector<contender>& contenders, const versus_problem& problem, const versus_options& options);

/// Geometric mean of the ratios there are; 0 if there are none.
double geometric_mean(const std::vector<versus_row>& rows);

}  // namespace tool
