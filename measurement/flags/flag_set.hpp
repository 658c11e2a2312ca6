// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace measurement {

/// Flags to compile and link a program with, under a name: "avx2+fma".
struct flag_set {
  std::string name;
  std::vector<std::string> flags = {};
  bool profile_guided = false;  // compiled twice, the second time with the profile of a run of the first
};

/// Returns the flags as words of a command: "-O3 -mavx".
inline std::string flags_text(const flag_set& set) {
  std::string text;
  for (const std::string& flag : set.flags) text += (text.empty() ? "" : " ") + flag;
  return text;
}

/// Sets of flags to compare with one of them, the base.
struct ladder {
  std::string base;  // name of one of the sets
  std::vector<flag_set> sets = {};
};

/// Combines every set of `a` with every set of `b`, whose flags come last: "avx,O2". The base combines both bases.
inline ladder crossed(const ladder& a, const ladder& b) {
  ladder all{.base = a.base + ',' + b.base};
  for (const flag_set& of_a : a.sets)
    for (const flag_set& of_b : b.sets) {
      all.sets.push_back({.name = of_a.name + ',' + of_b.name,
                          .flags = of_a.flags,
                          .profile_guided = of_a.profile_guided || of_b.profile_guided});
      all.sets.back().flags.insert(all.sets.back().flags.end(), of_b.flags.begin(), of_b.flags.end());
    }
  return all;
}

}  // namespace measurement
