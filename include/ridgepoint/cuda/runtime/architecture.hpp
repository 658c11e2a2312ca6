// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <ridgepoint/cuda/runtime/check.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The architectures that NVRTC compiles for, 90 for compute capability 9.0, the oldest first.
[[nodiscard]] inline std::vector<int> known_architectures() {
  int count = 0;
  check_call(nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> all(static_cast<std::size_t>(count));
  check_call(nvrtcGetSupportedArchs(all.data()), "nvrtcGetSupportedArchs");
  std::ranges::sort(all);
  return all;
}

/// What device code is compiled for, to run on a GPU of this compute capability: "sm_90", its own machine code; where
/// NVRTC does not know that, "compute_80", text for the newest that it knows before it, of which the driver makes
/// machine code.
/// Throws: ridgepoint_cuda_failure, naming both, if the GPU is older than all that NVRTC knows.
[[nodiscard]] inline std::string architecture_for(int major, int minor) {
  const std::vector<int> known = known_architectures();
  const int wanted = 10 * major + minor;
  const auto after = std::ranges::upper_bound(known, wanted);
  if (after == known.begin())
    fail_in("NVRTC", concat("compiling for a GPU of compute capability ", major, '.', minor),
            NVRTC_ERROR_INVALID_OPTION, nvrtcGetErrorString(NVRTC_ERROR_INVALID_OPTION),
            known.empty() ? "it knows no architecture"
                          : concat("it compiles for sm_", known.front(), " to sm_", known.back()));
  const int newest = *std::prev(after);
  return concat(newest == wanted ? "sm_" : "compute_", newest);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
