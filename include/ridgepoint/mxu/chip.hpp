// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string>

#include <ridgepoint/mxu/array_options.hpp>
#include <ridgepoint/roofline/measure.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// Constants missing from data sheets, fitted to published measurements. docs/tpu.md lists the rows used for each;
/// `ridgepoint calibrate tpu` derives them again.
struct calibration {
  double mxu_efficiency = 1;           // of the array's cycles, in products that convert an operand
  double product_stream = 1;           // share of the HBM peak that products reach …
  double update_stream = 1;            // … optimiser updates, with many streams …
  double elementwise_stream = 1;       // … single elementwise passes …
  double copy_stream = 1;              // … and copies
  double overlap_exponent = 0;         // p of (array^p + hbm^p)^(1/p) within an op; 0: the maximum
  double op_latency_s = 0;             // start and end of every op
  double all_reduce_latency_s = 0;     // per tensor
  double all_reduce_bytes_per_s = 0;   // 8 bytes per fp32 value; 0: the links' own rate on a torus
  double infeed_latency_s = 0;         // per step, on the host
  double infeed_bytes_per_s = 0;       // of samples; 0: the host never limits
  double label_bytes_per_s = 0;        // of labels, made and moved as one fp32 value per class; 0: free
  double infeed_overlap_exponent = 0;  // of (device^p + host^p)^(1/p); 0: the maximum
  double loop_s_per_parameter = 0;     // a step's share of the host's seconds between its loops
  std::string source;                  // origin of the values
  friend bool operator==(const calibration&, const calibration&) = default;
};

/// A board of TPU chips as data: every number can be edited and stored (chip_json.hpp).
///
/// Rates and capacities are per core unless the name says otherwise. Figures that a published machine also states are
/// taken from roofline/machines.hpp.
/// Example: const rp::tpu::chip& v2 = rp::tpu::find_chip("v2");
///          v2.peak_flop_per_s(8)                                  // 183.5e12: peak of the arrays
struct chip {
  std::string name, description;
  std::string machine;         // in roofline/machines.hpp, source of quoted_flop_per_s and memory
  std::string dtype = "bf16";  // operand type of the arrays
  index_t operand_bytes = 2;   // of an activation in memory: of that type, or 4 for a network in fp32
  index_t chips = 1, cores_per_chip = 1, mxus_per_core = 1;
  systolic::array_shape array{128, 128};
  double clock_hz = 0;
  double quoted_flop_per_s = 0;  // of the board, as published: the reference of published utilisations
  double hbm_bytes_per_s = 0;
  std::uint64_t hbm_bytes = 0, vmem_bytes = 0;
  index_t fifo_tiles = 0;          // weights come tile by tile from memory through a FIFO; 0: through VMEM
  index_t accumulator_rows = 0;    // streamed rows a tile can accumulate; 0: unlimited
  bool output_stationary = false;  // the arrays can also keep outputs in place
  index_t vector_lanes = 128, vector_sublanes = 8, vector_alus = 2;
  double special_share = 0.125;  // rate of exp, log, division relative to addition
  index_t ici_links = 0;         // of a chip, to its neighbours on the torus
  double ici_bytes_per_s = 0;    // of one link in one direction
  calibration fit;

  [[nodiscard]] constexpr index_t cores() const noexcept { return chips * cores_per_chip; }
  /// Multiply-adds of all arrays of one core per cycle.
  [[nodiscard]] constexpr double macs_per_cycle() const noexcept {
    return static_cast<double>(mxus_per_core) * static_cast<double>(array.rows) * static_cast<double>(array.cols);
  }
  /// 2 · MACs · clock: peak rate of the arrays of `of_cores` cores.
  [[nodiscard]] constexpr double peak_flop_per_s(index_t of_cores = 1) const noexcept {
    return 2 * macs_per_cycle() * clock_hz * static_cast<double>(of_cores);
  }
  /// Elementwise operations per second of one core's vector unit.
  [[nodiscard]] constexpr double vector_flop_per_s() const noexcept {
    return static_cast<double>(vector_lanes * vector_sublanes * vector_alus) * clock_hz;
  }
  [[nodiscard]] constexpr std::uint64_t tile_bytes() const noexcept {
    return static_cast<std::uint64_t>(array.rows) * static_cast<std::uint64_t>(array.cols) *
           static_cast<std::uint64_t>(operand_bytes);
  }
  friend bool operator==(const chip&, const chip&) = default;
};

/// Throws: Error unless every number of the chip is finite and in range; the message names the field.
template <class Error = value_error>
void check(const chip& c) {
  require<Error>(!c.name.empty(), "chip: the name is empty; must name the chip");
  const auto positive = [&](const char* field, double value, double most = 1e24) {
    require<Error>(std::isfinite(value) && value > 0 && value <= most, "chip ", c.name, ": ", field, " is ", value,
                   "; must be > 0 and at most ", most);
  };
  const auto at_least = [&](const char* field, double value, double least, double most) {
    require<Error>(std::isfinite(value) && value >= least && value <= most, "chip ", c.name, ": ", field, " is ", value,
                   "; must be ", least, " to ", most);
  };
  require<Error>(c.dtype == "bf16" || c.dtype == "int8", "chip ", c.name, ": dtype is ", c.dtype,
                 "; must be bf16 or int8");
  const auto extent = [&](const char* field, index_t value, index_t least, index_t most) {
    require<Error>(value >= least && value <= most, "chip ", c.name, ": ", field, " is ", value, "; must be ", least,
                   " to ", most);
  };
  extent("operand_bytes", c.operand_bytes, 1, 4);
  extent("chips", c.chips, 1, 65536);
  extent("cores_per_chip", c.cores_per_chip, 1, 1024);
  extent("mxus_per_core", c.mxus_per_core, 1, 1024);
  extent("array.rows", c.array.rows, 1, systolic::array_shape::largest);
  extent("array.cols", c.array.cols, 1, systolic::array_shape::largest);
  extent("fifo_tiles", c.fifo_tiles, 0, 1 << 20);
  extent("accumulator_rows", c.accumulator_rows, 0, index_t{1} << 40);
  extent("vector_lanes", c.vector_lanes, 1, 1 << 20);
  extent("vector_sublanes", c.vector_sublanes, 1, 1 << 20);
  extent("vector_alus", c.vector_alus, 1, 1024);
  extent("ici_links", c.ici_links, 0, 1024);
  positive("clock_hz", c.clock_hz, 1e12);
  positive("quoted_flop_per_s", c.quoted_flop_per_s);
  positive("hbm_bytes_per_s", c.hbm_bytes_per_s);
  positive("hbm_bytes", static_cast<double>(c.hbm_bytes));
  positive("vmem_bytes", static_cast<double>(c.vmem_bytes));
  positive("special_share", c.special_share, 1);
  at_least("ici_bytes_per_s", c.ici_bytes_per_s, 0, 1e18);

  const calibration& f = c.fit;
  positive("mxu_efficiency", f.mxu_efficiency, 1);
  positive("product_stream", f.product_stream, 1);
  positive("update_stream", f.update_stream, 1);
  positive("elementwise_stream", f.elementwise_stream, 1);
  positive("copy_stream", f.copy_stream, 1);
  for (const auto& [field, p] : {std::pair("overlap_exponent", f.overlap_exponent),
                                 std::pair("infeed_overlap_exponent", f.infeed_overlap_exponent)})
    require<Error>(exactly(p, 0) || (std::isfinite(p) && p >= 1 && p <= 1000), "chip ", c.name, ": ", field, " is ", p,
                   "; must be 0 (the maximum) or 1 to 1000");
  at_least("op_latency_s", f.op_latency_s, 0, 1);
  at_least("all_reduce_latency_s", f.all_reduce_latency_s, 0, 1);
  at_least("all_reduce_bytes_per_s", f.all_reduce_bytes_per_s, 0, 1e18);
  at_least("infeed_latency_s", f.infeed_latency_s, 0, 10);
  at_least("infeed_bytes_per_s", f.infeed_bytes_per_s, 0, 1e18);
  at_least("label_bytes_per_s", f.label_bytes_per_s, 0, 1e18);
  at_least("loop_s_per_parameter", f.loop_s_per_parameter, 0, 1);
  const bool linked = c.chips == 1 || f.all_reduce_bytes_per_s > 0 || (c.ici_links >= 2 && c.ici_bytes_per_s > 0);
  require<Error>(linked, "chip ", c.name, ": ", c.chips, " chips on ", c.ici_links, " links of ", c.ici_bytes_per_s,
                 " bytes/s; must have at least 2 links and a rate, or a fitted all-reduce");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu
