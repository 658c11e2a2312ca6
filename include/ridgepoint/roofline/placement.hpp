// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/roofline/machine.hpp>
#include <ridgepoint/roofline/profile.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A piece of work on a machine's roofline.
struct placement {
  std::string bound = "-";  // "compute", the level or "launches"; "ridge" if too close to decide
  std::string level;        // level of the applicable slope
  double flop_per_s = 0, bytes_per_s = 0, flop_per_byte = 0;  // achieved, and the intensity
  double roof_s = 0;                                          // the least time the roof allows
  double attainable_flop_per_s = 0;                           // flop / roof_s
  double efficiency = 0;                                      // roof_s / elapsed_s; 1 is on the roof
  bool undecided = false;                                     // inside the ridge band
  bool above_roof = false;                                    // faster than the roof: a count or a ceiling is wrong
  bool fewer_flop = false;  // above the roof of the definition's FLOP, since its algorithm executes fewer
  double gain = 1;          // FLOP of the definition ÷ those that the algorithm executes

  /// "DRAM", "DRAM !" above the roof, "compute *" if fewer FLOP than the definition lift it above.
  [[nodiscard]] std::string marked_bound() const { return bound + (above_roof ? " !" : fewer_flop ? " *" : ""); }
};

/// True if a placement fits on logarithmic axes: it has arithmetic, bytes and a time.
[[nodiscard]] inline bool on_chart(const placement& at) noexcept {
  return at.flop_per_s > 0 && at.flop_per_byte > 0 && std::isfinite(at.flop_per_s);
}

/// Fills a missing dtype of the query from a receipt.
[[nodiscard]] inline roof_query of_type(roof_query query, const work& receipt) {
  if (query.dtype.empty() && has_ceilings(receipt.bytes.type)) query.dtype = to_string(receipt.bytes.type);
  return query;
}

/// Places work that took elapsed_s: roof_s = max(flop / peak, bytes / bandwidth of the level that holds the footprint,
/// launches · launch_s).
///
/// Computes in times, not rates, so that work without arithmetic (copies, data feed) has an efficiency too. Undecided:
/// the binding roof would not bind if it were higher by its uncertainty(), or by 5 %. Above the roof: faster than the
/// roof by more than its uncertainty(), and by more than 3 %. footprint_bytes = 0 means the receipt's own bytes, a
/// query without a dtype the receipt's own type.
/// Example: rp::place(host, receipt, 1e-3, 0, {.threads = 1}).efficiency
[[nodiscard]] inline placement place(const machine& on, const work& receipt, double elapsed_s,
                                     std::uint64_t footprint_bytes = 0, const roof_query& query = {},
                                     std::uint64_t launches = 0) {
  const auto flop = static_cast<double>(receipt.flop), bytes = static_cast<double>(receipt.bytes.total());
  const ceiling* flat = on.peak(of_type(query, receipt));
  const ceiling* slope = on.memory_roof(footprint_bytes != 0 ? footprint_bytes : receipt.bytes.total(), query);
  const double compute_s = flat != nullptr ? flop / flat->per_s : 0;
  const double memory_s = slope != nullptr ? bytes / slope->per_s : 0;
  const double work_s = (std::max)(compute_s, memory_s), launch_s = static_cast<double>(launches) * on.launch_s;
  const ceiling* binding = compute_s > memory_s ? flat : slope;
  const double unsure = binding != nullptr ? uncertainty(*binding) : 0;

  placement p;
  p.flop_per_byte = receipt.flop_per_byte();
  p.roof_s = (std::max)(work_s, launch_s);
  if (slope != nullptr) p.level = slope->level;
  if (p.roof_s > 0) {
    p.attainable_flop_per_s = flop / p.roof_s;
    const bool launches_bind = launch_s > work_s;
    p.undecided = !launches_bind && work_s < (1 + (std::max)(0.05, unsure)) * (std::min)(compute_s, memory_s);
    p.bound = launches_bind ? "launches" : p.undecided ? "ridge" : compute_s > memory_s ? "compute" : slope->level;
  }
  if (elapsed_s > 0) {
    p.flop_per_s = flop / elapsed_s;
    p.bytes_per_s = bytes / elapsed_s;
    p.efficiency = p.roof_s / elapsed_s;
    p.above_roof = p.efficiency > 1 + (std::max)(0.03, unsure);
  }
  return p;
}

/// Selects the ceilings for a row of a profile: the profile's dtype or, if that is empty, the row's own; its threads;
/// and the ISA at the end of its backend's name ("ridgepoint.avx2"), if the machine knows that ISA.
[[nodiscard]] inline roof_query roofs_for(const profile& p, const work& receipt) {
  return of_type({.dtype = p.dtype, .isa = p.backend.substr(p.backend.rfind('.') + 1), .threads = p.threads}, receipt);
}
/// Ceilings of a whole profile: without a dtype of its own, the dtype of the first row that has one.
[[nodiscard]] inline roof_query roofs_for(const profile& p) { return roofs_for(p, p.receipt()); }
/// Places a row of a profile. Roof and efficiency are of counted_flop(): an algorithm such as Winograd's executes fewer
/// FLOP than the definition. Rates and intensity are of the definition, so a rate may exceed the roof by the gain.
[[nodiscard]] inline placement place(const machine& on, const profile& p, const profile_row& row) {
  const auto placed = [&](std::uint64_t flop) {
    work counted = row.receipt;
    counted.flop = flop;
    return place(on, counted, row.elapsed_s, row.footprint_bytes, roofs_for(p, row.receipt), row.launches);
  };
  placement defined = placed(row.receipt.flop);
  if (row.counted_flop() == row.receipt.flop) return defined;
  placement at = placed(row.counted_flop());
  at.flop_per_s = defined.flop_per_s;
  at.flop_per_byte = defined.flop_per_byte;
  at.gain = static_cast<double>(row.receipt.flop) / static_cast<double>(row.counted_flop());
  at.attainable_flop_per_s *= at.gain;
  at.fewer_flop = defined.above_roof && !at.above_roof;
  at.above_roof = defined.above_roof && at.above_roof;  // lanes without an element are not work
  return at;
}

/// Least time that each of three roofs allows for a step, summed over its rows.
struct step_roofs {
  double compute_s = 0, memory_s = 0, launch_s = 0;
  [[nodiscard]] double longest_s() const noexcept { return (std::max)({compute_s, memory_s, launch_s}); }
  /// "compute", "bandwidth" or "launches"; "-" if nothing takes time.
  [[nodiscard]] std::string_view bound() const noexcept {
    const double longest = longest_s();
    return exactly(longest, 0)           ? "-"
           : exactly(longest, launch_s)  ? "launches"
           : exactly(longest, compute_s) ? "compute"
                                         : "bandwidth";
  }
};
/// Sums the roofs of a profile on a machine; bytes count at the rate of the level that holds a row's footprint.
[[nodiscard]] inline step_roofs step_roofs_of(const machine& on, const profile& p) {
  step_roofs roofs{.launch_s = static_cast<double>(p.launches()) * on.launch_s};
  for (const profile_row& row : p.rows) {
    const roof_query query = roofs_for(p, row.receipt);
    if (const ceiling* const flat = on.peak(query))
      roofs.compute_s += static_cast<double>(row.counted_flop()) / flat->per_s;
    const std::uint64_t bytes = row.receipt.bytes.total();
    const ceiling* const slope = on.memory_roof(row.footprint_bytes != 0 ? row.footprint_bytes : bytes, query);
    if (slope != nullptr) roofs.memory_s += static_cast<double>(bytes) / slope->per_s;
  }
  return roofs;
}

/// Highest rate that the launches of a profile's step allow, FLOP / (launches · launch_s), a roof of equal height at
/// every intensity; 0 if launches cost nothing.
[[nodiscard]] inline double launch_roof_flop_per_s(const machine& on, const profile& p) {
  const double launch_s = static_cast<double>(p.launches()) * on.launch_s;
  return launch_s > 0 ? static_cast<double>(p.receipt().flop) / launch_s : 0;
}
/// "launches: 25 of 2.00 µs, so that the whole step stays below 1.20 TFLOP/s"; empty if launches cost nothing.
[[nodiscard]] inline std::string launch_legend(const machine& on, const profile& p) {
  const double roof = launch_roof_flop_per_s(on, p);
  if (exactly(roof, 0)) return "";
  return concat("launches: ", p.launches(), " of ", quantity(on.launch_s, "s"), ", so that the whole step stays below ",
                quantity(roof, "FLOP/s"));
}

/// Legends below tables and pages that have a marked row.
inline constexpr std::string_view ridge_legend =
    "ridge: compute and memory take equally long within what is known of their ceilings";
inline constexpr std::string_view above_roof_legend =
    "!: faster than the roof, so a count or a ceiling is wrong; do not read it as speed";
inline constexpr std::string_view fewer_flop_legend =
    "*: fewer FLOP than the definition lift it above the roof; % of roof is of the executed FLOP";

/// "busy host: other processes used 0.98 cores, the host took 2.1 % of the time", and which figures to trust; empty if
/// the machine was idle while the profile was taken.
[[nodiscard]] inline std::string busy_host(const profile& p) {
  const disturbance& d = p.meanwhile;
  if (!d.busy()) return "";
  std::string why;
  const auto add = [&](auto... parts) { why += concat(why.empty() ? "busy host: " : ", ", parts...); };
  if (d.other_cores > d.usual_cores) add("other processes used ", figures(d.other_cores, 2), " cores");
  if (d.steal_share > d.usual_steal) add("the host took ", figures(100 * d.steal_share, 2), " % of the time");
  if (d.slowdown > d.usual_slowdown) add("half of the steps took ", figures(d.slowdown), " times the best one or more");
  if (d.attempts > 1) why += concat("; the fastest of ", d.attempts, " attempts");
  return why + "; trust GFLOP, FLOP/B and the bounds, not times and what is derived from them";
}

/// "this build: scalar, CPU has avx2" if a profile of this library's kernels did not use the machine's best instruction
/// set, else empty.
[[nodiscard]] inline std::string weaker_build(const profile& p, const machine& on) {
  const roof_query q = roofs_for(p);
  const ceiling* flat = on.peak(q);
  const bool same = flat == nullptr || flat->isa.empty() || flat->isa == q.isa || !p.backend.starts_with("ridgepoint.");
  return same ? "" : concat("this build: ", q.isa, ", CPU has ", flat->isa);
}

/// "ridgepoint.scalar, 2 threads; this build: scalar, CPU has avx2"; only the name for a modelled machine.
[[nodiscard]] inline std::string where_it_ran(const profile& p, const machine& on) {
  std::string text = p.backend;
  if (p.threads > 0) text += concat(", ", p.threads, p.threads == 1 ? " thread" : " threads");
  const std::string weaker = weaker_build(p, on);
  return weaker.empty() ? text : concat(text, "; ", weaker);
}

/// Reasons to doubt a profile on a machine, one sentence each: a busy host, suspicious ceilings, and the number of rows
/// above their roof.
[[nodiscard]] inline std::vector<std::string> suspicions(const profile& p, const machine& on) {
  std::vector<std::string> found;
  if (p.meanwhile.busy()) found.push_back(busy_host(p));
  for (std::string& doubt : suspicions(on, roofs_for(p))) found.push_back(std::move(doubt));
  const profile_row* worst = nullptr;
  double most = 0;
  int above = 0;
  for (const profile_row& row : p.rows) {
    const placement at = place(on, p, row);
    if (!at.above_roof) continue;
    ++above;
    if (at.efficiency > most) worst = &row, most = at.efficiency;
  }
  if (worst != nullptr)
    found.push_back(concat(above, " of ", p.rows.size(), " rows are above their roof, most of all ", worst->layer, ' ',
                           to_string(worst->pass), ": at ", figures(100 * most),
                           " % of it, so a count or a ceiling is wrong"));
  return found;
}

/// Σ of min(roof_s, elapsed_s) over all rows ÷ wall time: the share of the step that the roofline explains. A row above
/// its roof explains only the time it took.
[[nodiscard]] inline double step_efficiency(const machine& on, const profile& p) {
  double explained_s = 0;
  for (const profile_row& row : p.rows) explained_s += (std::min)(place(on, p, row).roof_s, row.elapsed_s);
  return p.step_s > 0 ? explained_s / p.step_s : 0;
}
/// The step's score for a reader: step_efficiency(), or empty while a ceiling it depends on is suspicious.
[[nodiscard]] inline std::optional<double> step_score(const machine& on, const profile& p) {
  return suspicions(on, roofs_for(p)).empty() ? std::optional(step_efficiency(on, p)) : std::nullopt;
}
inline constexpr std::string_view no_score_legend = "no score of the step: a ceiling it rests on is suspicious";

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
