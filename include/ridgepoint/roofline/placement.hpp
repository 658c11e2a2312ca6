// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string>

#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/roofline/machine_check.hpp>
#include <ridgepoint/roofline/profile.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A piece of work on a machine's roofline.
struct placement {
  std::string bound = "-";                                     // "compute" or the level; "ridge" when too close to say
  std::string level;                                           // whose slope applies
  double flop_per_s = 0, bytes_per_s = 0, flop_per_byte = 0;   // achieved, and the intensity
  double roof_s = 0;                                           // the least time the roof allows
  double attainable_flop_per_s = 0;                            // flop / roof_s
  double efficiency = 0;                                       // roof_s / elapsed_s; 1 is on the roof
  bool undecided = false;                                      // inside the ridge band
  bool above_roof = false;                                     // faster than the roof: a count or a ceiling is wrong
};

/// Where work that took elapsed_s lands: roof_s = max(flop / peak, bytes / bandwidth of the level the footprint fits).
///
/// Written in times, not rates, so that work without arithmetic (copies, data feed) has an efficiency too. Undecided:
/// the two times differ by less than three standard deviations of their ceilings, at least 5 %. Above the roof: faster
/// than it allows by more than three standard deviations of the ceiling, at least 3 %. footprint_bytes 0 stands for the
/// receipt's own bytes.
/// Example: rp::place(host, receipt, 1e-3, 0, {.threads = 1}).efficiency
[[nodiscard]] inline placement place(const machine& on, const work& receipt, double elapsed_s,
                                     std::uint64_t footprint_bytes = 0, const roof_query& query = {}) {
  const auto flop = static_cast<double>(receipt.flop), bytes = static_cast<double>(receipt.bytes.total());
  const ceiling* flat = on.peak(query);
  const ceiling* slope = on.memory_roof(footprint_bytes != 0 ? footprint_bytes : receipt.bytes.total(), query);
  const double compute_s = flat != nullptr ? flop / flat->per_s : 0;
  const double memory_s = slope != nullptr ? bytes / slope->per_s : 0;
  const auto three_sigma = [](const ceiling* c) { return c != nullptr && c->measured ? 3 * c->measured->cv : 0.0; };

  placement p;
  p.flop_per_byte = receipt.flop_per_byte();
  p.roof_s = std::max(compute_s, memory_s);
  if (slope != nullptr) p.level = slope->level;
  if (p.roof_s > 0) {
    p.attainable_flop_per_s = flop / p.roof_s;
    p.undecided = std::abs(compute_s - memory_s) < std::max(0.05, three_sigma(flat) + three_sigma(slope)) * p.roof_s;
    p.bound = p.undecided ? "ridge" : compute_s > memory_s ? "compute" : slope->level;
  }
  if (elapsed_s > 0) {
    p.flop_per_s = flop / elapsed_s;
    p.bytes_per_s = bytes / elapsed_s;
    p.efficiency = p.roof_s / elapsed_s;
    p.above_roof = p.efficiency > 1 + std::max(0.03, three_sigma(compute_s > memory_s ? flat : slope));
  }
  return p;
}

/// The ceilings a profile is measured against: its dtype, its threads, and the ISA at the end of its backend's name
/// ("ridgepoint.avx2"), if the machine knows that one.
[[nodiscard]] inline roof_query roofs_for(const profile& p) {
  return {.dtype = p.dtype, .isa = p.backend.substr(p.backend.rfind('.') + 1), .threads = p.threads};
}
[[nodiscard]] inline placement place(const machine& on, const profile& p, const profile_row& row) {
  return place(on, row.receipt, row.elapsed_s, row.footprint_bytes, roofs_for(p));
}

/// What a table or a page says below a row that has the mark.
inline constexpr std::string_view ridge_legend =
    "ridge: compute and memory take equally long within the spread of their ceilings";
inline constexpr std::string_view above_roof_legend =
    "!: faster than the roof, so a count or a ceiling is wrong; do not read it as speed";

/// What should make a reader doubt a profile on a machine, one sentence each: the ceilings it is measured against, and
/// how many rows are above their roof.
[[nodiscard]] inline std::vector<std::string> suspicions(const profile& p, const machine& on) {
  std::vector<std::string> found = suspicions(on, roofs_for(p));
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

/// Σ of roof_s over all rows ÷ wall time: the share of the step the roofline explains.
[[nodiscard]] inline double step_efficiency(const machine& on, const profile& p) {
  double roof_s = 0;
  for (const profile_row& row : p.rows) roof_s += place(on, p, row).roof_s;
  return p.step_s > 0 ? roof_s / p.step_s : 0;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
