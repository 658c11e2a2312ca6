// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/roofline/ceiling.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Where a sloping ceiling meets a flat one.
struct ridge_point {
  ceiling compute, bandwidth;
  [[nodiscard]] double flop_per_byte() const noexcept { return compute.per_s / bandwidth.per_s; }
};

/// A machine as the roofline sees it: a name and its ceilings, measured by probe() or taken from a data sheet.
///
/// Several ceilings may describe the same thing (load, copy and triad of one level; fma and mul+add): the highest one
/// is the roof. Of ceilings for different thread counts, those with the fewest threads that are at least the asked
/// number apply, else those with the most.
/// Example:
///   const rp::machine& v100 = rp::find_machine("v100");
///   v100.attainable_flop_per_s(10.0, 1 << 30, {.dtype = "f32"})      // min(15.7e12, 10 · 900e9)
struct machine {
  std::string name;
  std::string description;
  std::vector<ceiling> ceilings;
  double clock_hz = 0;  // while it computed; 0: unknown
  double launch_s = 0;  // what the start of each kernel or op takes at least; 0: nothing

  /// The highest compute ceiling. Null if the machine has none for that dtype. bf16 and f16 only store, so f32's apply
  /// on a machine that has none of theirs.
  [[nodiscard]] const ceiling* peak(const roof_query& q = {}) const {
    const auto of = [&](std::string_view dtype) {
      return best(q, [&](const ceiling& c) { return c.kind == ceiling_kind::compute && c.dtype == dtype; });
    };
    if (q.dtype.empty()) return of("f32");
    const ceiling* const own = of(q.dtype);
    return own == nullptr && (q.dtype == "bf16" || q.dtype == "f16") ? of("f32") : own;
  }
  /// The highest bandwidth ceiling of a level. Null if there is no such level.
  [[nodiscard]] const ceiling* bandwidth(std::string_view level, const roof_query& q = {}) const {
    return best(q, [&](const ceiling& c) { return c.kind == ceiling_kind::bandwidth && c.level == level; });
  }
  /// Names of the memory levels, smallest first.
  [[nodiscard]] std::vector<std::string> levels() const {
    std::vector<const ceiling*> found;
    for (const ceiling& c : ceilings) {
      const bool seen = std::any_of(found.begin(), found.end(), [&](const ceiling* f) { return f->level == c.level; });
      if (c.kind == ceiling_kind::bandwidth && !seen) found.push_back(&c);
    }
    std::stable_sort(found.begin(), found.end(), [](const ceiling* a, const ceiling* b) {
      return a->capacity_bytes - 1 < b->capacity_bytes - 1;  // unsigned: unbounded (0) last
    });
    std::vector<std::string> names;
    names.reserve(found.size());
    for (const ceiling* c : found) names.push_back(c->level);
    return names;
  }
  /// The roof of the smallest level that holds footprint_bytes; of the largest level if none does. Null: no bandwidths.
  [[nodiscard]] const ceiling* memory_roof(std::uint64_t footprint_bytes, const roof_query& q = {}) const {
    const ceiling* last = nullptr;
    for (const std::string& level : levels()) {
      last = bandwidth(level, q);
      if (last->capacity_bytes == 0 || footprint_bytes <= last->capacity_bytes) break;
    }
    return last;
  }
  /// min(peak, intensity · bandwidth of the level the footprint fits). A missing ceiling limits nothing.
  [[nodiscard]] double attainable_flop_per_s(double flop_per_byte, std::uint64_t footprint_bytes,
                                             const roof_query& q = {}) const {
    const ceiling *flat = peak(q), *slope = memory_roof(footprint_bytes, q);
    const double from_compute = flat != nullptr ? flat->per_s : HUGE_VAL;
    return slope != nullptr ? (std::min)(from_compute, flop_per_byte * slope->per_s) : from_compute;
  }
  /// One per memory level, smallest level first; empty if there is no compute ceiling for the dtype.
  [[nodiscard]] std::vector<ridge_point> ridge_points(const roof_query& q = {}) const {
    std::vector<ridge_point> ridges;
    if (const ceiling* flat = peak(q))
      for (const std::string& level : levels()) ridges.push_back({*flat, *bandwidth(level, q)});
    return ridges;
  }
  friend bool operator==(const machine&, const machine&) = default;

 private:
  /// How badly a ceiling's thread count suits the asked one; the whole machine bounds every count.
  [[nodiscard]] static double mismatch(int threads, int asked) noexcept {
    if (threads == asked) return 0;
    if (threads == 0) return 1e9;
    return asked != 0 && threads > asked ? threads : 1e12 / threads;
  }
  template <class Matches>
  [[nodiscard]] const ceiling* best(const roof_query& q, const Matches& matches) const {
    const auto of_isa = [&](const ceiling& c) { return matches(c) && c.isa == q.isa; };
    const bool any_isa = q.isa.empty() || std::none_of(ceilings.begin(), ceilings.end(), of_isa);
    const auto rank = [&](const ceiling& c) { return std::pair(mismatch(c.threads, q.threads), -c.per_s); };
    const ceiling* found = nullptr;
    for (const ceiling& c : ceilings)
      if ((any_isa ? matches(c) : of_isa(c)) && (found == nullptr || rank(c) < rank(*found))) found = &c;
    return found;
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
