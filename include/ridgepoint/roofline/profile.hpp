// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ridgepoint/roofline/environment.hpp>
#include <ridgepoint/roofline/work.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// One op of a step: its work and its time.
struct profile_row {
  std::string layer;  // "dense_1", "adam", "data feed"
  ridgepoint::pass pass = ridgepoint::pass::forward;
  std::string shape;                  // "128x784x512", as the op prints it
  work receipt = {};                  // of one execution
  double elapsed_s = 0;               // of one execution
  std::uint64_t footprint_bytes = 0;  // memory it touches within a step: decides the level
  std::string backend = {};           // that ran it, in a profile of several backends
  std::string algorithm = {};         // chosen by the backend, if it reports one
  std::uint64_t executed_flop = 0;    // by that algorithm, lanes without an element included; receipt is the definition
  std::uint64_t launches = 0;         // minimum number of kernels or ops started in sequence

  /// FLOP that the roof of compute counts: the executed ones, or else the receipt's.
  [[nodiscard]] std::uint64_t counted_flop() const noexcept { return executed_flop > 0 ? executed_flop : receipt.flop; }
};

/// Measured step: rows in order of execution, each timed on its own, and the wall time of the whole step.
///
/// Example:
///   rp::profile p{.title = "mlp", .backend = "ridgepoint.avx2", .threads = 1, .rows = rows, .step_s = 0.004};
///   p.residual_s()                                            // time that no row explains
struct profile {
  std::string title, backend;
  int threads = 1;  // 0: a whole modelled machine
  std::vector<profile_row> rows;
  double step_s = 0;           // wall time of one step
  std::string dtype = {};      // selects the compute ceilings; empty: each row's own type
  disturbance meanwhile = {};  // other activity of the machine

  /// Sum of the receipts of all rows.
  [[nodiscard]] work receipt() const noexcept {
    work total;
    for (const profile_row& row : rows) total += row.receipt;
    return total;
  }
  [[nodiscard]] std::uint64_t launches() const noexcept {
    std::uint64_t total = 0;
    for (const profile_row& row : rows) total += row.launches;
    return total;
  }
  /// Wall time that no row explains: step_s − Σ elapsed_s. Negative if rows were timed slower than the step; 0 if it is
  /// no more than the rounding of the sum.
  [[nodiscard]] double residual_s() const noexcept {
    double explained = 0;
    for (const profile_row& row : rows) explained += row.elapsed_s;
    const double residual = step_s - explained;
    const double rounding = static_cast<double>(rows.size() + 1) * std::numeric_limits<double>::epsilon() * step_s;
    return std::abs(residual) <= rounding ? 0 : residual;
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
