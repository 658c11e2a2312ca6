// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "versus_child.hpp"

namespace tool {

/// Whether every operand is multiplied as it is, or B was packed once beforehand, outside the timed calls.
enum class form { plain, packed };

/// One implementation with one setting, in its process.
struct contender {
  std::string implementation, setting, about;
  form operands = form::plain;
  versus_child process;
};

/// The best of one implementation over its settings and rounds.
struct versus_rate {
  double per_s = 0;  // work per second: FLOP, elements or steps
  std::string setting, detail;
  double predicted_cycles_per_s = 0;   // what its planner predicted ÷ measured time; 0: it predicted nothing
  std::vector<double> windows_s = {};  // time of a call in each window of this setting
  std::vector<double> losses = {};     // of its first steps, where they are compared
};

/// What to compare: "64x64x64", the peers' line for it, what kind of shape it is, and what each of them keeps in
/// memory.
struct versus_problem {
  std::string shape, request, shape_class = {};
  double multiplications = 0;  // of a product
  versus_rate roof = {};       // what the probed ceilings allow; 0: not asked
  std::uint64_t operand_bytes = 0;
  double work = 0;  // of a call; 0: what each of them says
  /// What those of the first steps are; of everybody's the first, of the forward pass alone, must be within this share,
  /// the second within ten times as much.
  std::vector<double> losses = {};
  double loss_share = 1e-3;
};

/// The implementations side by side on operands of one form.
struct versus_standing {
  std::map<std::string, versus_rate> rates;  // by implementation
  std::string best_peer;                     // empty where there is none
  double ratio = 0;                          // ours ÷ best peer; 0 where one of them is missing
};

/// How these rates compare. An implementation named "ceiling.…" is shown but is a peer only where there is no other,
/// and one named as ours with something behind, "ours.eager", is none.
versus_standing compared(std::map<std::string, versus_rate> rates, const std::string& ours);

struct versus_row {
  std::string shape, shape_class;
  double multiplications = 0;
  versus_standing plain, packed;
  std::map<std::string, std::string> refused;  // implementation: why it has no rate
  std::set<std::string> broken;                // those of them that did not say so themselves
  std::vector<double> losses;                  // those that everybody's are held against
  int rounds = 0;
};

struct versus_options {
  int rounds = 8;
  double window_s = 2e-4;
  double limit_s = 2;      // beyond which three rounds are enough
  std::string ours;        // implementation whose ratio is asked for
  std::uint64_t seed = 0;  // of the orders
  std::function<void(int round)> progress = [](int) {};
};

/// Times one problem: in every round each contender runs one window, in an order that is drawn anew; its rate is the
/// best window's.
///
/// After three rounds who has no chance sits the rest out: a setting 10 % behind another one of its implementation, and
/// a peer that takes twice the time of the best peer. At least `rounds` rounds; problems that are over quickly get up
/// to 50 in 31 ms for each of those asked for, at most 0.25 s; those of more than `limit_s` stop after three. The same
/// number for everyone.
versus_row compare(std::vector<contender>& contenders, const versus_problem& problem, const versus_options& options);

/// The same problem's windows from another time, which count as if they had been among those of the row.
void add_rounds(versus_row& row, const versus_row& more, const std::string& ours);

/// Geometric mean of the ratios there are; 0 if there are none.
double geometric_mean(const std::vector<versus_row>& rows, versus_standing versus_row::*form = &versus_row::plain);

}  // namespace tool
