// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/study/targets/gpu_steps.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Published measurements of single steps that the GPU model is compared with.
[[nodiscard]] inline const std::vector<target>& gpu_targets() {
  static const std::vector<target> all{
      {"fc-steps", "V100: step times of FC networks", {"paradnn_gpu_fc.csv"}, compare_gpu_steps},
      {"tpu-over-gpu",
       "TPU v2-8 over V100: FC networks",
       {"paradnn_gpu_fc.csv", "paradnn_tpu_fc.csv"},
       compare_tpu_with_gpu}};
  return all;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
