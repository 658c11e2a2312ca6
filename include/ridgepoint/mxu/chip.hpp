// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string>

#include <ridgepoint/mxu/array_options.hpp>
#include <ridgepoint/roofline/overlap.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// What no data sheet says: the constants fitted to published measurements. docs/tpu.md says on which rows each was
/// fitted; `ridgepoint tpu calibrate` derives them again.
struct calibration {
  double mxu_efficiency = 1;           // of the array's cycles, in products that convert an operand on the way
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
  double loop_s_per_parameter = 0;     // a step's share of what the host does between its loops
  std::string source;                  // how they were obtained
  friend bool operator==(const calibration&, const calibration&) = default;
};

/// A board of TPU chips as data: every number may be edited and stored (chip_json.hpp).
///
/// Rates and capacities are per core unless the name says otherwise. Figures that a published machine states
/// (roofline/machines.hpp) come from there.
/// Example: const rp::tpu::chip& v2 = rp::tpu::find_chip("v2");
///          v2.peak_flop_per_s(8)                                  // 183.5e12: what the arrays can do
struct chip {
  std::string name, description;
  std::string machine;         // of roofline/machines.hpp, where quoted_flop_per_s and the memory come from
  std::string dtype = "bf16";  // what the arrays multiply
  index_t operand_bytes = 2;   // of that type
  index_t chips = 1, cores_per_chip = 1, mxus_per_core = 1;
  systolic::array_shape array{128, 128};
  double clock_hz = 0;
  double quoted_flop_per_s = 0;  // of the board, as published: what published utilisations are shares of
  double hbm_bytes_per_s = 0;
  std::uint64_t hbm_bytes = 0, vmem_bytes = 0;
  index_t fifo_tiles = 0;          // weights come tile by tile from memory through a FIFO; 0: through VMEM
  index_t accumulator_rows = 0;    // streamed rows a tile can add up; 0: as many as needed
  bool output_stationary = false;  // whether the arrays can keep outputs in place, too
  index_t vector_lanes = 128, vector_sublanes = 8, vector_alus = 2;
  double special_share = 0.125;  // rate of exp, log, division against that of an addition
  index_t ici_links = 0;         // of a chip, to its neighbours on the torus
  double ici_bytes_per_s = 0;    // of one link in one direction
  calibration fit;

  [[nodiscard]] constexpr index_t cores() const noexcept { return chips * cores_per_chip; }
  /// Multiply-adds that all arrays of one core do in a cycle.
  [[nodiscard]] constexpr double macs_per_cycle() const noexcept {
    return static_cast<double>(mxus_per_core) * static_cast<double>(array.rows) * static_cast<double>(array.cols);
  }
  /// 2 · MACs · clock: what the arrays of so many cores can do.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu
