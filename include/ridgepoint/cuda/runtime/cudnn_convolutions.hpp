// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <utility>

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/cuda/runtime/cudnn_fastest.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The convolutions of a context by cuDNN, each planned once.
class convolution_library {
 public:
  explicit convolution_library(const cuda_context& on)
      : on_(on), handle_([](cudnnHandle_t* made) { check_call(cudnnCreate(made), "cudnnCreate"); }) {
    check_call(cudnnSetStream(handle_.get(), on.stream()), "cudnnSetStream");
  }

  /// Null if cuDNN has no engine for it.
  [[nodiscard]] const cudnn_plan* find(const convolution_problem& p) {
    for (const auto& [problem, plan] : made_)
      if (problem == p) return plan ? &*plan : nullptr;
    const auto& plan = made_.emplace_back(p, choose(p)).second;
    return plan ? &*plan : nullptr;
  }
  void run(const cudnn_plan& plan, const void* image, const void* filter, const void* output, void* workspace) const {
    plan.run(handle_.get(), image, filter, output, workspace);
  }

 private:
  /// The first, or the fastest of the first few.
  [[nodiscard]] std::optional<cudnn_plan> choose(const convolution_problem& p) const {
    constexpr std::size_t most_timed = 8;
    const cudnn_target target{.handle = handle_.get()};
    if (!on_.times_engines()) return find_plan(target, p);
    std::vector<cudnn_plan> found = find_plans(target, p, most_timed);
    if (found.empty()) return std::nullopt;
    return fastest_of(on_, handle_.get(), p, std::move(found));
  }

  const cuda_context& on_;
  owned_handle<cudnnHandle_t, cudnnDestroy> handle_;
  std::deque<std::pair<convolution_problem, std::optional<cudnn_plan>>> made_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
