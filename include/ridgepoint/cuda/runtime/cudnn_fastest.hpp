// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <ridgepoint/cuda/runtime/cudnn_plan.hpp>
#include <ridgepoint/cuda/runtime/events.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Memory for the tensors of a problem, and a workspace.
struct convolution_memory {
  device_memory image, filter, output, workspace;

  convolution_memory(const convolution_problem& p, std::size_t workspace_bytes)
      : image(of(p, p.geometry.input_size())),
        filter(of(p, p.geometry.filter_size())),
        output(of(p, p.geometry.output_size())),
        workspace(workspace_bytes + 1) {}

 private:
  static device_memory of(const convolution_problem& p, index_t elements) {
    return device_memory(static_cast<std::size_t>(elements) * bytes_of(p.type));
  }
};
/// Nothing where the device has no memory left.
[[nodiscard]] inline std::optional<convolution_memory> memory_for(const convolution_problem& p,
                                                                  const std::vector<cudnn_plan>& plans) {
  std::size_t most = 0;
  for (const cudnn_plan& plan : plans) most = (std::max)(most, plan.workspace_bytes());
  try {
    return std::optional<convolution_memory>(std::in_place, p, most);
  } catch (const ridgepoint_cuda_failure& failed) {
    if (failed.name != "cudaErrorMemoryAllocation") throw;
    return std::nullopt;
  }
}

/// The fastest of some plans of a problem on this device, in memory of its own: the least of three runs each, which
/// take turns. One that cuDNN fails to run is left out; where there is no memory left, it is the first. Requires: at
/// least one.
[[nodiscard]] inline cudnn_plan fastest_of(const cuda_context& on, cudnnHandle_t handle, const convolution_problem& p,
                                           std::vector<cudnn_plan> plans) {
  const std::optional<convolution_memory> memory = plans.size() == 1 ? std::nullopt : memory_for(p, plans);
  if (!memory) return std::move(plans.front());
  constexpr double never = std::numeric_limits<double>::infinity();
  const auto time_s = [&](const cudnn_plan& plan) {
    try {
      return time_of(on, [&] {
        plan.run(handle, memory->image.data(), memory->filter.data(), memory->output.data(), memory->workspace.data());
      });
    } catch (const ridgepoint_cuda_failure& failed) {
      if (failed.library != "cuDNN") throw;
      return never;
    }
  };
  std::vector<double> least_s(plans.size(), never);
  constexpr int rounds = 3;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < plans.size(); ++i) least_s[i] = (std::min)(least_s[i], time_s(plans[i]));
  const auto fastest = std::min_element(least_s.begin(), least_s.end()) - least_s.begin();
  return std::move(plans[static_cast<std::size_t>(fastest)]);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
