// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include <ridgepoint/roofline/work.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// What an op on a TPU core waits for most.
enum class bound {
  mxu,           // the array multiplies
  fill,          // the array fills, drains or shifts weights: too few rows stream past each tile
  weight_fetch,  // the array waits for weights from memory (TPU v1)
  hbm,           // memory
  vpu,           // the vector unit
  ici,           // the links to other cores
  host,          // the host's data feed
};
[[nodiscard]] constexpr std::string_view to_string(bound b) noexcept {
  constexpr std::string_view names[] = {"mxu", "fill", "weight fetch", "hbm", "vpu", "ici", "host"};
  return names[static_cast<int>(b)];
}

/// One op on one core: how long each resource works for it at its full rate, how long the op takes, and why.
///
/// `roof_flop_per_s` is the lowered roof of this very shape: useful FLOP over the time of the busiest resource at its
/// full rate, with the array's fragmentation, fill and weight fetch in it. What is achieved never exceeds it, because
/// elapsed_s only adds efficiencies below 1, imperfect overlap and latency.
struct modelled_op {
  std::string name;
  ridgepoint::pass pass = ridgepoint::pass::forward;
  std::string shape;
  double mxu_s = 0;           // rows stream through the array
  double fill_s = 0;          // shift, skew and drain that show
  double weight_fetch_s = 0;  // stalls for weights
  double hbm_s = 0, vpu_s = 0, ici_s = 0, host_s = 0;
  double array_share = 1, stream_share = 1;  // of the arrays' and of memory's rate that this op reaches
  double overhead_s = 0;                     // latency, in elapsed_s
  double elapsed_s = 0;
  tpu::bound bound = tpu::bound::mxu;
  double utilisation = 0;  // useful FLOP / (elapsed_s · peak of the core's arrays), 0 to 1
  double roof_flop_per_s = 0;
  work receipt = {};         // compulsory traffic
  std::uint64_t bytes = 0;   // what memory really moves: padding and re-reads included
  std::uint64_t repeat = 1;  // identical ops in a row, each of which takes elapsed_s

  /// Time the arrays are taken, at full efficiency.
  [[nodiscard]] double array_s() const noexcept { return mxu_s + fill_s + weight_fetch_s; }
  /// Time of the busiest resource at its full rate: no implementation can be faster.
  [[nodiscard]] double least_s() const noexcept { return (std::max)({array_s(), hbm_s, vpu_s, ici_s, host_s}); }
  [[nodiscard]] double total_s() const noexcept { return elapsed_s * static_cast<double>(repeat); }
  /// Once at least, if the start of an op takes time.
  [[nodiscard]] std::uint64_t launches() const noexcept { return overhead_s > 0 ? 1 : 0; }
};

/// Names the bound and derives utilisation and roof from the resource times; every model_…() ends with it.
/// The bound is the longest resource at the rate it really reaches.
inline void conclude(modelled_op& op, double peak_flop_per_s) {
  const bound array = op.weight_fetch_s > (std::max)(op.mxu_s, op.fill_s) ? bound::weight_fetch
                      : op.fill_s > op.mxu_s                              ? bound::fill
                                                                          : bound::mxu;
  const std::pair<double, bound> resources[] = {{op.array_s() / op.array_share, array},
                                                {op.hbm_s / op.stream_share, bound::hbm},
                                                {op.vpu_s, bound::vpu},
                                                {op.ici_s, bound::ici},
                                                {op.host_s, bound::host}};
  op.bound = std::max_element(std::begin(resources), std::end(resources), [](const auto& a, const auto& b) {
               return a.first < b.first;
             })->second;
  const auto flop = static_cast<double>(op.receipt.flop), matrix = static_cast<double>(op.receipt.matrix_flop);
  op.roof_flop_per_s = op.least_s() > 0 ? flop / op.least_s() : 0;
  op.utilisation = op.elapsed_s > 0 ? matrix / (op.elapsed_s * peak_flop_per_s) : 0;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu
