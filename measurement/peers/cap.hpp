// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/simd/cpuid.hpp>

#include "peer.hpp"

namespace peer {

/// Returns an iterator into isa_names; each instruction set includes all before it.
[[nodiscard]] inline auto rank_of(std::string_view isa) { return std::ranges::find(ridgepoint::simd::isa_names, isa); }

/// Returns the instruction set that no implementation may exceed: RIDGEPOINT_CAP; empty without a cap.
[[nodiscard]] inline std::string cap() {
  const char* isa = std::getenv("RIDGEPOINT_CAP");
  return isa == nullptr ? std::string() : std::string(isa);
}

/// Setting and the instruction set that it needs.
struct tuned_setting {
  std::string_view isa;
  setting how;
};

/// Returns the settings to try for a library: its default unless there is a cap, those that the CPU supports from
/// AVX2 up to the cap, and without any of these its strongest one below AVX2.
[[nodiscard]] inline std::vector<setting> settings_to_try(const std::vector<tuned_setting>& tuned) {
  const std::string limit = cap();
  const auto allowed = [&](const tuned_setting& s) {
    return ridgepoint::simd::cpu_runs(s.isa) && (limit.empty() || rank_of(s.isa) <= rank_of(limit));
  };
  auto least = rank_of("scalar");
  for (const tuned_setting& s : tuned)
    if (allowed(s)) least = std::min(std::max(least, rank_of(s.isa)), rank_of("avx2"));
  std::vector<setting> settings;
  if (limit.empty()) settings.push_back({"default"});
  for (const tuned_setting& s : tuned)
    if (allowed(s) && rank_of(s.isa) >= least) settings.push_back(s.how);
  return settings;
}

/// Returns the variable that caps a library's own choice, {"DNNL_MAX_CPU_ISA=AVX2"}, from its values by instruction
/// set; empty without a cap.
[[nodiscard]] inline std::vector<std::string> capping(
    const std::string& variable, const std::vector<std::pair<std::string_view, std::string_view>>& values) {
  std::vector<std::string> chosen;
  if (const std::string limit = cap(); !limit.empty())
    for (const auto& [isa, value] : values)
      if (rank_of(isa) <= rank_of(limit)) chosen = {variable + '=' + std::string(value)};
  return chosen;
}

}  // namespace peer
