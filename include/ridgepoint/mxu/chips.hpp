// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/mxu/chip.hpp>
#include <ridgepoint/roofline/machines.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

namespace detail {

/// Takes peak and memory rate from the published machine of the chip and converts both to per-core figures.
inline chip on_machine(std::string_view machine_name, chip c) {
  const machine& m = find_machine(machine_name);
  c.machine = m.name;
  c.quoted_flop_per_s = m.peak({.dtype = c.dtype})->per_s;
  c.hbm_bytes_per_s = m.bandwidth(m.levels().front())->per_s / static_cast<double>(c.cores());
  return c;
}
/// Clock at which the arrays of all cores reach the machine's quoted peak.
inline double clock_of(const chip& c, std::string_view machine_name) {
  const double per_cycle = 2 * c.macs_per_cycle() * static_cast<double>(c.cores());
  return find_machine(machine_name).peak({.dtype = c.dtype})->per_s / per_cycle;
}

/// Fitted to ParaDnn's published TPU v2-8 traces and step times, rows with 4 or 32 layers and input 2000 only:
/// `ridgepoint calibrate tpu --data DIR` prints these numbers (study/calibrate.hpp).
inline calibration fitted_v2() {
  return {.mxu_efficiency = 0.9495,
          .product_stream = 0.8252,
          .update_stream = 0.8636,
          .elementwise_stream = 0.83,
          .copy_stream = 0.95,  // quoted, not fitted
          .overlap_exponent = 6.34,
          .op_latency_s = 2.317e-6,
          .all_reduce_latency_s = 13.99e-6,
          .all_reduce_bytes_per_s = 98.16e9,
          .infeed_latency_s = 2.291e-3,
          .infeed_bytes_per_s = 2.777e9,
          .label_bytes_per_s = 3.733e9,
          .infeed_overlap_exponent = 4.852,
          .loop_s_per_parameter = 102.4e-12,
          .source = "fitted to ParaDnn's TPU v2-8 traces and step times, 4 or 32 layers, input 2000"};
}

inline chip make_v1() {
  chip c{.name = "v1",
         .description = "TPU v1: 256x256 MACs of 8 bits, weights from DDR3 through a FIFO",
         .machine = {},
         .dtype = "int8",
         .operand_bytes = 1,
         .array = {256, 256},
         .hbm_bytes = 8ULL << 30,
         .vmem_bytes = 24ULL << 20,  // weight memory; Unified Buffer
         .fifo_tiles = 4,
         .accumulator_rows = 2048,  // 4096, half of them for the next tile
         .vector_lanes = 256,
         .vector_sublanes = 1,
         .vector_alus = 1,
         .fit = {}};
  c.clock_hz = clock_of(c, "tpu-v1");
  c = on_machine("tpu-v1", std::move(c));
  c.fit.source = "nothing is fitted";
  return c;
}

inline chip make_v2() {
  chip c{.name = "v2",
         .description = "TPU v2 board as ParaDnn counts it: 180 TFLOP/s, 2400 GB/s",
         .machine = {},
         .chips = 4,
         .cores_per_chip = 2,
         .mxus_per_core = 1,
         .hbm_bytes = 8ULL << 30,
         .vmem_bytes = 16ULL << 20,
         .ici_links = 4,
         .ici_bytes_per_s = 496e9 / 8,
         .fit = fitted_v2()};
  c.clock_hz = clock_of(c, "tpu-v2-spec");  // 700 MHz
  return on_machine("tpu-v2", std::move(c));
}
inline chip make_v3() {
  chip c = make_v2();
  c.name = "v3";
  c.description = "TPU v3 board as ParaDnn counts it: 420 TFLOP/s, 3600 GB/s; v2's fitted constants";
  c.mxus_per_core = 2;
  c.hbm_bytes = 16ULL << 30;
  c.ici_bytes_per_s = 656e9 / 8;
  c.clock_hz = clock_of(c, "tpu-v3");  // 801 MHz: implied by 420 TFLOP/s
  c.fit.source += "; carried over from v2, not fitted";
  return on_machine("tpu-v3", std::move(c));
}
/// The designers' figures. `measured_share`: ParaDnn's figure of TPU v2's memory over the designers'. The fitted shares
/// are scaled by it, so that v2 keeps the measured bytes per second.
inline chip make_spec(chip c, const char* name, std::string_view machine_name, double measured_share) {
  c.name = name;
  c.description = find_machine(machine_name).description;
  c.clock_hz = clock_of(c, machine_name);
  c = on_machine(machine_name, std::move(c));
  for (double* share : {&c.fit.product_stream, &c.fit.update_stream, &c.fit.elementwise_stream, &c.fit.copy_stream})
    *share *= measured_share;
  return c;
}

}  // namespace detail

/// TPU v1, v2 and v3. `v2` and `v3` are the boards with ParaDnn's figures, `-spec` with the designers' figures. The two
/// disagree on memory and peak; both are quoted (docs/tpu.md).
[[nodiscard]] inline const std::vector<chip>& published_chips() {
  static const std::vector<chip> all = [] {
    const chip v2 = detail::make_v2(), v3 = detail::make_v3();
    const double share = v2.hbm_bytes_per_s * 8 / find_machine("tpu-v2-spec").bandwidth("HBM")->per_s;
    return std::vector<chip>{detail::make_v1(), v2, detail::make_spec(v2, "v2-spec", "tpu-v2-spec", share), v3,
                             detail::make_spec(v3, "v3-spec", "tpu-v3-spec", share)};
  }();
  return all;
}

/// Finds a published chip by name. Throws: value_error with the known names if the name is unknown.
[[nodiscard]] inline const chip& find_chip(std::string_view name) {
  return find_named(published_chips(), name, "chip: no chip");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu
