// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/core/types.hpp>

/// \file
/// The time of all-reduces, and of training steps that sum their gradients with them. Formulas: Thakur, Rabenseifner,
/// Gropp, "Optimization of Collective Communication Operations in MPICH", IJHPCA 19(1), 2005.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A connection between any two ranks that all of them can use at once, each in both directions.
struct network_link {
  std::string name, description;
  double latency_s = 0;    // of a message
  double bytes_per_s = 0;  // in one direction
  std::string source;
};

/// Returns links of data sheets. Latencies are assumed, from a message's start to its arrival in the other memory.
[[nodiscard]] inline const std::vector<network_link>& published_links() {
  const std::string pcie = "PCI Express specification, 85 % of the rate for packet headers; latency assumed";
  static const std::vector<network_link> all = {
      {"pcie3", "PCI Express 3.0 x16", 10e-6, 0.85 * 15.75e9, pcie},
      {"pcie4", "PCI Express 4.0 x16", 10e-6, 0.85 * 31.5e9, pcie},
      {"nvlink2", "NVLink 2, 6 links of V100", 5e-6, 150e9, "NVIDIA Tesla V100 data sheet, 2017; latency assumed"},
      {"nvlink3", "NVLink 3, 12 links of A100", 5e-6, 300e9, "NVIDIA A100 data sheet, 2020; latency assumed"},
      {"nvlink4", "NVLink 4, 18 links of H100", 5e-6, 450e9, "NVIDIA H100 data sheet, 2022; latency assumed"},
      {"10gbe", "Ethernet, 10 Gbit/s", 30e-6, 1.25e9, "IEEE 802.3ae; latency assumed"},
      {"100gbe", "Ethernet, 100 Gbit/s", 10e-6, 12.5e9, "IEEE 802.3ba; latency assumed"}};
  return all;
}
/// Returns a published link by name. Throws: value_error with the known names if not found.
[[nodiscard]] inline const network_link& find_link(std::string_view name) {
  return find_named(published_links(), name, "link: no link");
}

/// Throws: value_error unless latency and rate are valid.
inline void check(const network_link& over) {
  require<value_error>(std::isfinite(over.latency_s) && over.latency_s >= 0, "link ", over.name, ": latency_s is ",
                       over.latency_s, "; must be finite and >= 0");
  require<value_error>(std::isfinite(over.bytes_per_s) && over.bytes_per_s > 0, "link ", over.name, ": bytes_per_s is ",
                       over.bytes_per_s, "; must be finite and > 0");
}

/// Algorithm of an all-reduce, with p ranks and n bytes.
enum class all_reduce_algorithm {
  ring,     // p − 1 steps of n / p bytes to sum, and as many to distribute
  halving,  // recursive halving, then doubling: 2 log2 p steps, 2 n (p − 1) / p bytes; p is rounded up to a power of 2
  tree      // log2 p steps of n bytes up a binary tree, and as many down
};
[[nodiscard]] constexpr std::string_view to_string(all_reduce_algorithm a) noexcept {
  constexpr std::string_view names[] = {"ring", "halving", "tree"};
  return names[static_cast<int>(a)];
}

/// Returns the seconds of an all-reduce: steps · latency + bytes that a rank sends / rate; 0 for one rank. Additions
/// are not counted: memory is faster than links.
/// Throws: value_error for less than 1 rank, bytes < 0, or a link out of its domain.
/// Example: all_reduce_s(all_reduce_algorithm::ring, 8, 100e6, find_link("nvlink2"))               // 0.00124
[[nodiscard]] inline double all_reduce_s(all_reduce_algorithm by, index_t ranks, double bytes,
                                         const network_link& over) {
  check(over);
  require<value_error>(ranks >= 1, "all_reduce: ranks is ", ranks, "; must be >= 1");
  require<value_error>(std::isfinite(bytes) && bytes >= 0, "all_reduce: bytes is ", bytes, "; must be finite and >= 0");
  if (ranks == 1) return 0;
  const auto p = static_cast<double>(ranks),
             levels = static_cast<double>(std::bit_width(static_cast<std::uint64_t>(ranks - 1)));
  double steps = 2 * levels, sent = 2 * levels * bytes;
  if (by == all_reduce_algorithm::ring) steps = 2 * (p - 1), sent = 2 * bytes * (p - 1) / p;
  if (by == all_reduce_algorithm::halving) sent = 2 * bytes * (1 - std::exp2(-levels));
  return steps * over.latency_s + sent / over.bytes_per_s;
}
/// Returns the time of the fastest algorithm.
[[nodiscard]] inline double all_reduce_s(index_t ranks, double bytes, const network_link& over) {
  using enum all_reduce_algorithm;
  return (std::min)({all_reduce_s(ring, ranks, bytes, over), all_reduce_s(halving, ranks, bytes, over),
                     all_reduce_s(tree, ranks, bytes, over)});
}
/// Returns bytes / elapsed_s, "algbw" of nccl-tests.
[[nodiscard]] constexpr double algorithm_bandwidth(double bytes, double elapsed_s) noexcept {
  return bytes / elapsed_s;
}
/// Returns algbw · 2 (p − 1) / p, "busbw" of nccl-tests: at most the rate of the link, for any number of ranks.
[[nodiscard]] constexpr double bus_bandwidth(index_t ranks, double bytes, double elapsed_s) noexcept {
  const auto p = static_cast<double>(ranks);
  return algorithm_bandwidth(bytes, elapsed_s) * 2 * (p - 1) / p;
}

/// A training step of one rank on its share of the batch, and the gradients that it sums with other ranks.
struct data_parallel_step {
  double alone_s = 0;              // without other ranks
  double backward_s = 0;           // of this, the backward pass: sums overlap with it
  double gradient_bytes = 0;       // of all sums
  double bucket_bytes = 25 << 20;  // largest sum; the last one begins after the backward pass
};
/// The parts of a step with several ranks.
struct data_parallel_times {
  double step_s = 0, sums_s = 0;  // the latter: of all sums
  double exposed_s = 0;           // of the sums, while nothing is computed
  /// Returns the throughput relative to that of as many single ranks: 0 to 1.
  [[nodiscard]] constexpr double efficiency() const noexcept { return step_s > 0 ? (step_s - exposed_s) / step_s : 1; }
};
/// Returns the times with `ranks` ranks. Sums run one after another, and the last one, of up to bucket_bytes, begins at
/// the end of the backward pass: exposed_s = max(last sum, sums_s − backward_s).
/// Throws: as all_reduce_s(); value_error if times or bytes are out of their domain.
[[nodiscard]] inline data_parallel_times times_of(const data_parallel_step& step, index_t ranks,
                                                  const network_link& over) {
  require<value_error>(step.alone_s >= 0 && step.backward_s >= 0 && step.backward_s <= step.alone_s,
                       "data_parallel_step: alone_s is ", step.alone_s, " and backward_s is ", step.backward_s,
                       "; must be 0 <= backward_s <= alone_s");
  require<value_error>(step.bucket_bytes > 0, "data_parallel_step: bucket_bytes is ", step.bucket_bytes,
                       "; must be > 0");
  const double whole = std::floor(step.gradient_bytes / step.bucket_bytes);
  const double last = step.gradient_bytes - whole * step.bucket_bytes;
  const double last_s = all_reduce_s(ranks, last > 0 ? last : (std::min)(step.gradient_bytes, step.bucket_bytes), over);
  data_parallel_times t;
  t.sums_s = whole * all_reduce_s(ranks, step.bucket_bytes, over) + (last > 0 ? last_s : 0);
  t.exposed_s = ranks == 1 ? 0 : (std::max)(last_s, t.sums_s - step.backward_s);
  t.step_s = step.alone_s + t.exposed_s;
  return t;
}

/// Returns the share of a single rank's time that does not shrink with p ranks, by Amdahl's law: (p / S − 1) / (p − 1)
/// for a speed-up of S.
/// Throws: value_error unless ranks >= 2 and speed_up > 0.
[[nodiscard]] inline double non_parallel_fraction(index_t ranks, double speed_up) {
  require<value_error>(ranks >= 2, "non_parallel_fraction: ranks is ", ranks, "; must be >= 2");
  require<value_error>(speed_up > 0, "non_parallel_fraction: speed_up is ", speed_up, "; must be > 0");
  const auto p = static_cast<double>(ranks);
  return (p / speed_up - 1) / (p - 1);
}

/// Returns the smallest batch, per rank, for which `ranks` ranks reach an efficiency; 0: no batch does. A step alone
/// takes sample_s per sample, and its backward pass has the share backward_share of that.
/// Throws: as times_of(); value_error unless 0 < efficiency < 1.
/// Example: smallest_batch(1e-4, 2.0 / 3, 100e6, 8, find_link("10gbe"), 0.5)
[[nodiscard]] inline index_t smallest_batch(double sample_s, double backward_share, double gradient_bytes,
                                            index_t ranks, const network_link& over, double efficiency) {
  require<value_error>(efficiency > 0 && efficiency < 1, "smallest_batch: efficiency is ", efficiency,
                       "; must be > 0 and < 1");
  const auto reaches = [&](index_t batch) {
    const double alone_s = sample_s * static_cast<double>(batch);
    return times_of({.alone_s = alone_s, .backward_s = backward_share * alone_s, .gradient_bytes = gradient_bytes},
                    ranks, over)
               .efficiency() >= efficiency;
  };
  constexpr index_t most = index_t{1} << 40;
  index_t low = 0, high = 1;  // efficiency grows with the batch
  while (!reaches(high) && high < most) low = high, high *= 2;
  if (!reaches(high)) return 0;
  while (high - low > 1) {
    const index_t middle = low + (high - low) / 2;
    (reaches(middle) ? high : low) = middle;
  }
  return high;
}

/// Returns the share of time in which a pipeline of `stages` ranks is not filled by `micro_batches` per step:
/// (p − 1) / (m + p − 1). Huang et al., "GPipe", NeurIPS 2019.
/// Throws: value_error unless both are >= 1.
[[nodiscard]] inline double pipeline_bubble(index_t stages, index_t micro_batches) {
  require<value_error>(stages >= 1 && micro_batches >= 1, "pipeline_bubble: stages is ", stages, ", micro_batches is ",
                       micro_batches, "; both must be >= 1");
  const auto p = static_cast<double>(stages), m = static_cast<double>(micro_batches);
  return (p - 1) / (m + p - 1);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
