// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/roofline/machine.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// A compute ceiling of a whole machine, in 10¹² operations per second.
inline ceiling sheet_peak(const char* dtype, const char* operation, double tera_per_s, const std::string& source) {
  return {.kind = ceiling_kind::compute,
          .operation = operation,
          .isa = {},
          .dtype = dtype,
          .level = {},
          .capacity_bytes = 0,
          .threads = 0,
          .per_s = tera_per_s * 1e12,
          .measured = {},
          .source = source};
}
/// The memory of a whole machine, in 10⁹ bytes per second.
inline ceiling sheet_memory(const char* level, double giga_per_s, const std::string& source) {
  return {.kind = ceiling_kind::bandwidth,
          .operation = "memory",
          .isa = {},
          .dtype = {},
          .level = level,
          .capacity_bytes = 0,
          .threads = 0,
          .per_s = giga_per_s * 1e9,
          .measured = {},
          .source = source};
}

}  // namespace detail

/// Published machines, as data with the source of every number. None was measured by this project.
///
/// Two presets per TPU board: `tpu-v2` and `tpu-v3` have the figures that ParaDnn used, `-spec` the figures of the
/// chips' designers. The two disagree; both are quoted.
[[nodiscard]] inline const std::vector<machine>& published_machines() {
  using detail::sheet_memory;
  using detail::sheet_peak;
  const std::string paradnn = "Wang, Wei, Brooks, arXiv:1907.10701, table 3", jouppi17 = "Jouppi et al., ISCA 2017",
                    jouppi20 = "Jouppi et al., CACM 63(7), 2020", k80 = "NVIDIA Tesla K80 data sheet, 2014",
                    p100 = "NVIDIA Tesla P100 data sheet, 2016", v100 = "NVIDIA Tesla V100 data sheet, 2017",
                    a100 = "NVIDIA A100 data sheet, 2020", h100 = "NVIDIA H100 data sheet, 2022",
                    h200 = "NVIDIA H200 data sheet, 2023", half = ", half of the figure with sparsity";
  static const std::vector<machine> all{
      {"skylake-vm",
       "Google Cloud n1-standard-32: 16 cores of a 2 GHz Skylake",
       {sheet_peak("f32", "fma", 2.0, paradnn + ": 2 FMA x 32 lanes x 16 cores x 2 GHz, rounded"),
        sheet_memory("DRAM", 16.6, paradnn + ": GeekBench 4, measured there")}},
      {"k80",
       "NVIDIA Tesla K80, both GPUs of the board, boost clock",
       {sheet_peak("f32", "fma", 8.74, k80), sheet_peak("f64", "fma", 2.91, k80), sheet_memory("GDDR5", 480, k80)}},
      {"p100",
       "NVIDIA Tesla P100, PCIe, 16 GB",
       {sheet_peak("f16", "fma", 18.7, p100), sheet_peak("f32", "fma", 9.3, p100), sheet_peak("f64", "fma", 4.7, p100),
        sheet_memory("HBM2", 732, p100)}},
      {"v100",
       "NVIDIA Tesla V100, SXM2, 16 GB",
       {sheet_peak("f16", "tensor core", 125, paradnn), sheet_peak("f32", "fma", 15.7, v100),
        sheet_peak("f64", "fma", 7.8, v100), sheet_memory("HBM2", 900, paradnn)}},
      {"a100",
       "NVIDIA A100, SXM4, 40 GB, without sparsity",
       {sheet_peak("f16", "tensor core", 312, a100), sheet_peak("bf16", "tensor core", 312, a100),
        sheet_peak("tf32", "tensor core", 156, a100), sheet_peak("f32", "fma", 19.5, a100),
        sheet_peak("f64", "tensor core", 19.5, a100), sheet_peak("f64", "fma", 9.7, a100),
        sheet_memory("HBM2", 1555, a100)}},
      {"h100",
       "NVIDIA H100, SXM5, 80 GB, without sparsity",
       {sheet_peak("f16", "tensor core", 989.5, h100 + half), sheet_peak("bf16", "tensor core", 989.5, h100 + half),
        sheet_peak("tf32", "tensor core", 494.5, h100 + half), sheet_peak("f32", "fma", 67, h100),
        sheet_peak("f64", "tensor core", 67, h100), sheet_peak("f64", "fma", 34, h100),
        sheet_memory("HBM3", 3350, h100)}},
      {"h200",
       "NVIDIA H200, SXM, 141 GB, without sparsity",
       {sheet_peak("f16", "tensor core", 989.5, h200 + half), sheet_peak("bf16", "tensor core", 989.5, h200 + half),
        sheet_peak("tf32", "tensor core", 494.5, h200 + half), sheet_peak("f32", "fma", 67, h200),
        sheet_peak("f64", "tensor core", 67, h200), sheet_peak("f64", "fma", 34, h200),
        sheet_memory("HBM3e", 4800, h200)}},
      {"tpu-v1",
       "TPU v1: 256x256 MACs of 8 bits at 700 MHz",
       {sheet_peak("int8", "mxu", 2 * 256 * 256 * 700e-6, jouppi17), sheet_memory("DDR3", 34, jouppi17 + ": weights")}},
      {"tpu-v2",
       "TPU v2 board: 4 chips, 8 cores",
       {sheet_peak("bf16", "mxu", 180, paradnn), sheet_memory("HBM", 2400, paradnn)}},
      {"tpu-v2-spec",
       "TPU v2 board: 4 chips of 2 x 128x128 MACs at 700 MHz",
       {sheet_peak("bf16", "mxu", 4 * 2 * 2 * 128 * 128 * 700e-6, jouppi20), sheet_memory("HBM", 4 * 700, jouppi20)}},
      {"tpu-v3",
       "TPU v3 board: 4 chips, 8 cores",
       {sheet_peak("bf16", "mxu", 420, paradnn), sheet_memory("HBM", 3600, paradnn + ": an estimate")}},
      {"tpu-v3-spec",
       "TPU v3 board: 4 chips of 4 x 128x128 MACs at 940 MHz",
       {sheet_peak("bf16", "mxu", 4 * 4 * 2 * 128 * 128 * 940e-6, jouppi20), sheet_memory("HBM", 4 * 900, jouppi20)}}};
  return all;
}

/// Finds a published machine by name. Throws: value_error with the known names if the name is unknown.
[[nodiscard]] inline const machine& find_machine(std::string_view name) {
  return find_named(published_machines(), name, "machine: no machine");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
