// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/roofline/machine.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Throws: Error unless the machine has a name and at least one ceiling, every number is finite and positive, every
/// rate from 1 to 10^24 per second, a launch takes at most a second, and every ceiling says what it is of. The message
/// starts with `where`.
template <class Error = value_error>
void check(const machine& m, std::string_view where = {}) {
  require<Error>(!m.name.empty(), where, "machine: the name is empty; must name the machine");
  require<Error>(!m.ceilings.empty(), where, "machine ", m.name, ": has no ceilings; must have at least one");
  require<Error>(std::isfinite(m.clock_hz) && m.clock_hz >= 0, where, "machine ", m.name, ": clock_hz is ", m.clock_hz,
                 "; must be finite and >= 0");
  require<Error>(m.launch_s >= 0 && m.launch_s <= 1, where, "machine ", m.name, ": launch_s is ", m.launch_s,
                 "; must be 0 to 1");
  for (std::size_t i = 0; i < m.ceilings.size(); ++i) {
    const ceiling& c = m.ceilings[i];
    const auto fail_unless = [&](bool ok, std::string_view what, const auto& is, std::string_view must) {
      require<Error>(ok, where, "machine ", m.name, ": ceiling ", i, ": ", what, " is ", is, "; must be ", must);
    };
    const bool computes = c.kind == ceiling_kind::compute;
    fail_unless(c.per_s >= 1 && c.per_s <= 1e24, "per_s", c.per_s, "1 to 1e24");  // NaN is neither
    fail_unless(c.threads >= 0 && c.threads <= 1 << 20, "threads", c.threads, "0 (whole machine) to 1048576");
    fail_unless(!computes || !c.dtype.empty(), "dtype", "empty", "set for a compute ceiling");
    fail_unless(computes || !c.level.empty(), "level", "empty", "set for a bandwidth ceiling");
    if (!c.measured) continue;
    const auto& [median, min, max, cv, samples, top_gap] = *c.measured;
    fail_unless(std::isfinite(max) && min > 0 && min <= median && median <= max, "measured",
                concat("min ", min, ", median ", median, ", max ", max), "finite with 0 < min <= median <= max");
    fail_unless(std::isfinite(cv) && cv >= 0, "cv", cv, "finite and >= 0");
    fail_unless(samples > 0, "samples", samples, "> 0");
    fail_unless(top_gap >= 0 && top_gap <= 1, "top_gap", top_gap, "0 to 1");
  }
}

/// What should make a reader doubt the roofs of a query, one sentence each: a larger memory level that is more than 3 %
/// faster than a smaller one, or was measured in a set that a smaller one can hold, and roofs whose third best sample
/// lies more than 10 % below the best, so that the true roof may be higher still.
[[nodiscard]] inline std::vector<std::string> suspicions(const machine& m, const roof_query& q = {}) {
  std::vector<std::string> found;
  std::vector<const ceiling*> roofs;
  if (const ceiling* flat = m.peak(q)) roofs.push_back(flat);
  const ceiling *inner = nullptr, *largest = nullptr;
  for (const std::string& level : m.levels()) {
    const ceiling* outer = m.bandwidth(level, q);
    roofs.push_back(outer);
    if (inner != nullptr && outer->per_s > 1.03 * inner->per_s)
      found.push_back(concat(level, " is faster than ", inner->level, ": ", outer->per_s * 1e-9, " against ",
                             inner->per_s * 1e-9, " GB/s"));
    if (largest != nullptr && outer->set_bytes > 0 && outer->set_bytes <= largest->capacity_bytes)
      found.push_back(concat("the roof of ", level, " may be that of ", largest->level,
                             ": it was measured in a set of ", capacity(outer->set_bytes), "; must be > ",
                             capacity(largest->capacity_bytes), ", which ", largest->level, " has"));
    inner = outer;
    if (largest == nullptr || outer->capacity_bytes > largest->capacity_bytes) largest = outer;
  }
  const ceiling* worst = nullptr;
  int alone = 0;
  for (const ceiling* c : roofs) {
    if (!c->measured || c->measured->top_gap <= 0.10) continue;
    ++alone;
    if (worst == nullptr || c->measured->top_gap > worst->measured->top_gap) worst = c;
  }
  if (worst != nullptr)
    found.push_back(concat(alone, " of ", roofs.size(), " roofs may be higher: the third best sample of ",
                           to_string(*worst), " is ", figures(100 * worst->measured->top_gap), " % below the best"));
  return found;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
