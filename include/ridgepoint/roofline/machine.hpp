// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/error.hpp>
#include <ridgepoint/roofline/format.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Spread of a measured quantity over its repetitions, in its own unit. cv = standard deviation / mean.
struct spread {
  double median = 0, min = 0, max = 0, cv = 0;
  int samples = 0;
  double top_gap = 0;  // (largest − third largest) ÷ largest
  friend bool operator==(const spread&, const spread&) = default;
};

enum class ceiling_kind { compute, bandwidth };
[[nodiscard]] constexpr std::string_view to_string(ceiling_kind k) noexcept {
  return k == ceiling_kind::compute ? "compute" : "bandwidth";
}

/// One segment of the roof: FLOP/s for compute, bytes/s for bandwidth.
struct ceiling {
  ceiling_kind kind = ceiling_kind::compute;
  std::string operation;                // "fma", "mul+add"; "load", "copy", "triad"; free text
  std::string isa;                      // "avx2"; empty: any
  std::string dtype;                    // "f32"; empty: any (bandwidth)
  std::string level;                    // "L1" … "DRAM"; empty for compute
  std::uint64_t capacity_bytes = 0;     // of the level, over all `threads`; 0: unbounded
  int threads = 0;                      // 0: the whole machine
  double per_s = 0;                     // the ceiling: FLOP/s or bytes/s
  std::optional<spread> measured = {};  // absent: from a data sheet
  std::string source;                   // of a data sheet value, or the method of a probe
  std::uint64_t set_bytes = 0;          // of the memory that a probe moved through; 0: unknown
  friend bool operator==(const ceiling&, const ceiling&) = default;
};

/// Relative uncertainty of a ceiling. A ceiling is the best of its samples, so it can only be too low: by the best
/// sample's lead over its neighbours, up to 10 %, so that one wild sample excuses nothing; 10 % with fewer than three
/// samples. 0: from a data sheet.
[[nodiscard]] inline double uncertainty(const ceiling& c) noexcept {
  constexpr double most = 0.10;
  if (!c.measured) return 0;
  return c.measured->samples < 3 ? most : (std::min)(c.measured->top_gap, most);
}

/// Selects the ceilings of a machine that apply to a piece of work.
struct roof_query {
  std::string dtype = {};  // empty: the type of the work, f32 if unknown
  std::string isa = {};    // empty: the best one
  int threads = 0;         // 0: the whole machine
};

/// "f32 fma avx2, 1 thread", "L2 load, 2 threads", "HBM memory".
[[nodiscard]] inline std::string to_string(const ceiling& c) {
  std::string text = (c.kind == ceiling_kind::compute ? c.dtype : c.level) + ' ' + c.operation;
  if (!c.isa.empty()) text += ' ' + c.isa;
  if (c.threads > 0) text += concat(", ", c.threads, c.threads == 1 ? " thread" : " threads");
  return text;
}

/// Intersection of a sloping and a flat ceiling.
struct ridge_point {
  ceiling compute, bandwidth;
  [[nodiscard]] double flop_per_byte() const noexcept { return compute.per_s / bandwidth.per_s; }
};

/// Machine in the roofline model: a name and its ceilings, measured by probe() or taken from a data sheet.
///
/// Several ceilings may describe the same resource (load, copy and triad of one level; fma and mul+add): the highest
/// one is the roof. Of ceilings for different thread counts, the smallest count ≥ the requested number applies, else
/// the largest count.
/// Example:
///   const rp::machine& v100 = rp::find_machine("v100");
///   v100.attainable_flop_per_s(10.0, 1 << 30, {.dtype = "f32"})      // min(15.7e12, 10 · 900e9)
struct machine {
  std::string name;
  std::string description;
  std::vector<ceiling> ceilings;
  double clock_hz = 0;  // during computation; 0: unknown
  double launch_s = 0;  // minimum time to start a kernel or op; 0: nothing

  /// The highest compute ceiling. Null if the machine has none for that dtype. bf16 and f16 only store, so f32's
  /// ceilings apply on a machine, or an instruction set, without ceilings for them. A ceiling of theirs is that of
  /// products: other ops of these types stay further below it.
  [[nodiscard]] const ceiling* peak(const roof_query& q = {}) const {
    const auto of = [&](std::string_view dtype) {
      return best(q, [&](const ceiling& c) { return c.kind == ceiling_kind::compute && c.dtype == dtype; });
    };
    if (q.dtype.empty()) return of("f32");
    const ceiling* const own = of(q.dtype);
    if (q.dtype != "bf16" && q.dtype != "f16") return own;
    const ceiling* const floats = of("f32");
    const bool of_another_isa = own != nullptr && own->isa != q.isa && floats != nullptr && floats->isa == q.isa;
    return own == nullptr || (of_another_isa && !q.isa.empty()) ? floats : own;
  }
  /// The highest bandwidth ceiling of a level. Null if the level is unknown.
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
  /// The roof of the smallest level that holds footprint_bytes, else of the largest level. Null without bandwidths.
  [[nodiscard]] const ceiling* memory_roof(std::uint64_t footprint_bytes, const roof_query& q = {}) const {
    const ceiling* last = nullptr;
    for (const std::string& level : levels()) {
      last = bandwidth(level, q);
      if (last->capacity_bytes == 0 || footprint_bytes <= last->capacity_bytes) break;
    }
    return last;
  }
  /// min(peak, intensity · bandwidth of the level that holds the footprint). A missing ceiling is no limit.
  [[nodiscard]] double attainable_flop_per_s(double flop_per_byte, std::uint64_t footprint_bytes,
                                             const roof_query& q = {}) const {
    const ceiling *flat = peak(q), *slope = memory_roof(footprint_bytes, q);
    const double from_compute = flat != nullptr ? flat->per_s : HUGE_VAL;
    return slope != nullptr ? (std::min)(from_compute, flop_per_byte * slope->per_s) : from_compute;
  }
  /// One per memory level, smallest level first; empty without a compute ceiling for the dtype.
  [[nodiscard]] std::vector<ridge_point> ridge_points(const roof_query& q = {}) const {
    std::vector<ridge_point> ridges;
    if (const ceiling* flat = peak(q))
      for (const std::string& level : levels()) ridges.push_back({*flat, *bandwidth(level, q)});
    return ridges;
  }
  friend bool operator==(const machine&, const machine&) = default;

 private:
  /// Distance of a ceiling's thread count from the requested count; the whole machine bounds every count.
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

/// Throws: Error unless the machine has a name and at least one ceiling, every number is finite and positive, every
/// rate from 1 to 10^24 per second, a launch takes ≤ 1 s, and every ceiling names its dtype or level. The message
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

/// Reasons to doubt the roofs of a query, one sentence each: a larger memory level that is more than 3 % faster than a
/// smaller one, or was measured in a set that fits a smaller one, and roofs whose third best sample is more than 10 %
/// below the best, so that the true roof may be higher still.
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
