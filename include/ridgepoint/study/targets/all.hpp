// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/study/targets/arrays.hpp>
#include <ridgepoint/study/targets/fc.hpp>
#include <ridgepoint/study/targets/v1.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// All published results that the TPU model is compared with, in the order of docs/tpu.md.
[[nodiscard]] inline const std::vector<target>& tpu_targets() {
  static const std::vector<target> all{
      {"array", "the cycle-exact array: closed form and numeric contract", {}, compare_array},
      {"scalesim", "SCALE-Sim v2 and v3, row by row", {"scalesim.csv"}, compare_scalesim},
      {"single-ops", "single ops measured on TPU v2", {}, compare_single_ops},
      {"v1-ratios",
       "TPU v1: tile period, shift over stall, fragmentation",
       {"jouppi2017_tables.csv"},
       compare_v1_ratios},
      {"v1-counters", "TPU v1: hardware counters and roofline", {"jouppi2017_tables.csv"}, compare_v1_counters},
      {"fc-steps", "TPU v2-8: step times of FC networks", {"paradnn_tpu_fc.csv"}, compare_fc_steps, "E"},
      {"fc-ops",
       "TPU v2-8: profiler traces of FC networks, by op",
       {"paradnn_fc_trace_10sec_opbreakdown.csv"},
       compare_fc_ops,
       "E"},
      {"fc-infeed",
       "TPU v2-8: steps that the host's feed limits",
       {"paradnn_tpu_fc.csv", "paradnn_fc_trace_10sec_opbreakdown.csv"},
       compare_fc_infeed,
       "E"},
      {"fc-utilisation", "TPU v2: utilisation of FC networks", {"paradnn_tpu_fc.csv"}, compare_fc_utilisation, "E"},
      {"fc-regression",
       "TPU v2: what decides the speed of FC networks",
       {"paradnn_tpu_fc.csv", "paradnn_fc_lr_weights.csv"},
       compare_fc_regression,
       "E"},
      {"fc-roofline", "TPU v2: FC networks on the roofline", {"paradnn_fc_trace_10sec.csv"}, compare_fc_roofline, "E"},
      {"fc-memory",
       "TPU v2-8: which FC networks run out of memory",
       {"paradnn_tpu_fc.csv", "paradnn_tpu_fc_errors.csv"},
       compare_fc_memory,
       "E"},
      {"v3-over-v2", "TPU v3 over v2", {}, compare_v3_with_v2, "E"},
      {"v3-timings", "TPU v3: COCOSSim's timings", {"cocossim_tpuv3.csv"}, show_v3_timings}};
  return all;
}

/// Finds a TPU target by name. Throws: value_error with the known names if the name is unknown.
[[nodiscard]] inline const target& find_target(std::string_view name) { return find_target(tpu_targets(), name); }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
