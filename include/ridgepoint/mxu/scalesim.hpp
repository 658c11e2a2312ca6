// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <optional>

#include <ridgepoint/mxu/tile_schedule.hpp>

/// \file
/// The simulator SCALE-Sim's report for a layer, digit by digit, for comparison. Nothing else in the library uses these
/// numbers: they keep three known defects of SCALE-Sim v2 and v3 (docs/tpu.md), each marked below.

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// A layer as in SCALE-Sim's topology files: batch 1, no padding, square stride, in elements.
struct scalesim_layer {
  index_t ih = 0, iw = 0, fh = 0, fw = 0, cin = 0, filters = 0, stride = 1;

  /// A product C(m×n) = A(m×k)·B(k×n) as in its GEMM files: an m×k image, a 1×k filter.
  [[nodiscard]] static constexpr scalesim_layer gemm(const gemm_extent& e) noexcept {
    return {e.m, e.k, 1, e.k, 1, e.n, 1};
  }
  /// The product that computes the layer: a row per output pixel, a column per filter.
  /// Throws: shape_error if an extent is not positive, the filter exceeds the image or the product does not fit.
  [[nodiscard]] constexpr gemm_extent extent() const {
    require<shape_error>(fh >= 1 && fw >= 1 && cin >= 1 && filters >= 1 && stride >= 1 && ih >= fh && iw >= fw,
                         "scalesim: ", filters, " filters of ", fh, 'x', fw, 'x', cin, " with stride ", stride, " on ",
                         ih, 'x', iw, "; extents must be >= 1 and the filter no larger than the image");
    const index_t oh = (ih - fh) / stride + 1 + ((ih - fh) % stride != 0);  // ⌈(ih − fh + stride) / stride⌉
    const index_t ow = (iw - fw) / stride + 1 + ((iw - fw) % stride != 0);
    return {.m = checked_mul(oh, ow), .k = checked_mul(checked_mul(fh, fw), cin), .n = filters};
  }
};

/// Columns of SCALE-Sim's COMPUTE_REPORT and DETAILED_ACCESS_REPORT; utilisations in percent, accesses in words.
struct scalesim_report {
  std::uint64_t total_cycles = 0, row_folds = 0, col_folds = 0;
  double overall_util_pct = 0, mapping_efficiency_pct = 0, compute_util_pct = 0;
  std::uint64_t ifmap_sram_reads = 0, filter_sram_reads = 0, ofmap_sram_writes = 0;
};

/// Returns the report of SCALE-Sim v2 and v3; `stall_cycles` is what its memory model adds in bandwidth-limited mode.
///
/// Every fold runs alone and pays for the whole array: cycles = folds · one tile of count_cycles(). The defects:
///   1. the report gives the index of the last cycle, one less than their number;
///   2. an output-stationary fold ends with its last MAC: R cycles in which results leave the array are missing, while
///      the ofmap writes count R + C too many per fold;
///   3. "compute utilisation" of weight- and input-stationary divides by C − 1 cycles more than a fold takes.
/// Throws: shape_error as count_cycles().
[[nodiscard]] constexpr scalesim_report scalesim_v2(const array_shape& array, dataflow flow, const gemm_extent& e,
                                                    std::uint64_t stall_cycles = 0) {
  using detail::cycles_product;
  const bool os = flow == dataflow::output_stationary;
  static_cast<void>(count_cycles(array, e, {.flow = flow}));  // checks that everything fits
  const auto m = static_cast<std::uint64_t>(e.m), k = static_cast<std::uint64_t>(e.k),
             n = static_cast<std::uint64_t>(e.n);
  const auto R = static_cast<std::uint64_t>(array.rows), C = static_cast<std::uint64_t>(array.cols);
  const array_mapping map = map_onto(flow, e);
  scalesim_report report;
  report.row_folds = static_cast<std::uint64_t>((map.over_rows - 1) / array.rows + 1);
  report.col_folds = static_cast<std::uint64_t>((map.over_cols - 1) / array.cols + 1);
  const std::uint64_t folds = report.row_folds * report.col_folds;
  const auto streamed = static_cast<std::uint64_t>(map.streamed);
  const std::uint64_t fold_cycles = R + C + streamed - 2 + (os ? 0 : R);        // defect 2
  report.total_cycles = cycles_product(folds, fold_cycles) - 1 + stall_cycles;  // defect 1

  const double macs = static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n);
  const double elements = static_cast<double>(R * C), covered = static_cast<double>(folds) * elements;
  const double divisor = static_cast<double>(os ? fold_cycles : fold_cycles + C - 1);  // defect 3
  if (report.total_cycles != 0)
    report.overall_util_pct = 100 * macs / (static_cast<double>(report.total_cycles) * elements);
  report.mapping_efficiency_pct =
      100 * static_cast<double>(map.over_rows) * static_cast<double>(map.over_cols) / covered;
  report.compute_util_pct = report.mapping_efficiency_pct * static_cast<double>(streamed) / divisor;

  const bool is = flow == dataflow::input_stationary;
  report.ifmap_sram_reads = m * k * (is ? 1 : report.col_folds);
  report.filter_sram_reads = k * n * (os ? report.row_folds : is ? report.col_folds : 1);
  report.ofmap_sram_writes = os ? m * n + folds * (R + C) : m * n * report.row_folds;  // defect 2
  return report;
}

/// Words that SCALE-Sim v2 reads from memory for an operand of `words` with a buffer of `buffer_words`: each once if
/// half of the buffer, the part not reserved for prefetching, holds them. Else empty: its set-rounded reads are not
/// modelled.
[[nodiscard]] constexpr std::optional<std::uint64_t> scalesim_dram_reads(std::uint64_t words,
                                                                         std::uint64_t buffer_words) noexcept {
  return words <= buffer_words / 2 ? std::optional(words) : std::nullopt;
}

/// Cycles and utilisation (percent; not known for output-stationary) as SCALE-Sim v1 reports them.
struct scalesim_v1_report {
  std::uint64_t cycles = 0;
  std::optional<double> util_pct;
};

namespace detail {

/// Σ over folds of 2r + c + T cycles (input-stationary one less): a fold pays for the r × c elements it uses.
[[nodiscard]] constexpr scalesim_v1_report scalesim_v1_folds(const array_shape& array, const array_mapping& map,
                                                             dataflow flow) {
  struct part {
    index_t times, used;
  };
  const part rows[] = {{map.over_rows / array.rows, array.rows}, {1, map.over_rows % array.rows}};
  const part cols[] = {{map.over_cols / array.cols, array.cols}, {1, map.over_cols % array.cols}};
  scalesim_v1_report report;
  double busy = 0;
  for (const part& r : rows)
    for (const part& c : cols) {
      if (r.used == 0 || c.used == 0) continue;
      const index_t fold = 2 * r.used + c.used + map.streamed - (flow == dataflow::input_stationary ? 1 : 0);
      const auto cycles = static_cast<std::uint64_t>(fold * r.times * c.times);
      report.cycles += cycles;
      busy += static_cast<double>(cycles) * static_cast<double>(r.used) * static_cast<double>(c.used);
    }
  const double elements = static_cast<double>(array.rows) * static_cast<double>(array.cols);
  report.util_pct = 100 * busy / (static_cast<double>(report.cycles) * elements);
  return report;
}

/// The later of its two traces. Reads: T cycles a fold, then the skew of the last one. Writes: a row of results a
/// cycle, row blocks every max(T, R), column blocks once their first result is there and the previous block is written.
[[nodiscard]] constexpr scalesim_v1_report scalesim_v1_pipelined(const array_shape& array, const array_mapping& map) {
  const index_t T = map.streamed, R = array.rows, C = array.cols;
  const index_t down = (map.over_rows - 1) / R + 1, across = (map.over_cols - 1) / C + 1;
  const index_t last_rows = map.over_rows - (down - 1) * R, last_cols = map.over_cols - (across - 1) * C;
  const index_t reads = down * across * T + (std::max)(last_rows, last_cols) - 1;
  index_t writes = T + (std::min)(C, map.over_cols) - 1 + across * (down - 1) * (std::max)(T, R) + last_rows;
  if (across > 1)
    writes += (across - 2) * (std::max)(T + 1 - last_rows, last_rows) +
              (std::max)(T + 1 - last_rows - (C - last_cols), last_rows);
  return {.cycles = static_cast<std::uint64_t>((std::max)(reads, writes)), .util_pct = std::nullopt};
}

}  // namespace detail

/// Returns the report of SCALE-Sim v1, which differs from its successors by design.
/// Throws: shape_error as count_cycles().
[[nodiscard]] constexpr scalesim_v1_report scalesim_v1(const array_shape& array, dataflow flow, const gemm_extent& e) {
  static_cast<void>(count_cycles(array, e, {.flow = flow}));  // checks that everything fits
  const array_mapping map = map_onto(flow, e);
  return flow == dataflow::output_stationary ? detail::scalesim_v1_pipelined(array, map)
                                             : detail::scalesim_v1_folds(array, map, flow);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic
