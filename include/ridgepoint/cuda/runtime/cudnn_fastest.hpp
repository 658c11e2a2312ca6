// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <ridgepoint/cuda/runtime/cudnn_plan.hpp>
#include <ridgepoint/cuda/runtime/events.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The fastest of some plans of a problem on this device, in memory of its own: the least of three runs each, which
/// take turns. Requires: at least one.
[[nodiscard]] inline cudnn_plan fastest_of(const cuda_context& on, cudnnHandle_t handle, const convolution_problem& p,
                                           std::vector<cudnn_plan> plans) {
  if (plans.size() == 1) return std::move(plans.front());
  const auto memory_of = [&](index_t elements) {
    return device_memory(static_cast<std::size_t>(elements) * bytes_of(p.type));
  };
  const auto by_workspace = [](const cudnn_plan& a, const cudnn_plan& b) {
    return a.workspace_bytes() < b.workspace_bytes();
  };
  const conv2d_geometry& g = p.geometry;
  const device_memory image = memory_of(g.input_size()), filter = memory_of(g.filter_size()),
                      output = memory_of(g.output_size()),
                      workspace(std::max_element(plans.begin(), plans.end(), by_workspace)->workspace_bytes() + 1);
  std::vector<double> least_s(plans.size(), std::numeric_limits<double>::infinity());
  constexpr int rounds = 3;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < plans.size(); ++i)
      least_s[i] = std::min(least_s[i], time_of(on, [&] {
                              plans[i].run(handle, image.data(), filter.data(), output.data(), workspace.data());
                            }));
  const auto fastest = std::min_element(least_s.begin(), least_s.end()) - least_s.begin();
  return std::move(plans[static_cast<std::size_t>(fastest)]);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
