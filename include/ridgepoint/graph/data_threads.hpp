// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <optional>

#include <ridgepoint/core/thread_count.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// How many threads make batches of a data set ahead while a backend of `computing` threads learns from those before,
/// on `cores`: as many as are `wanted`, else, where it is worth it, one for each core that is left, at most four.
[[nodiscard]] inline int data_threads(gathering data, int computing, int cores, std::optional<int> wanted) {
  if (data == gathering::on_one_thread) return 0;
  if (wanted) return *wanted;
  return data == gathering::ahead ? std::clamp(cores - computing, 0, 4) : 0;
}

/// Of a backend; one that does not tell its threads computes on one.
template <class Backend>
[[nodiscard]] int data_threads(const Backend& on, const any_dataset& data, std::optional<int> wanted = {}) {
  int computing = 1;
  if constexpr (requires { on.thread_count(); }) computing = on.thread_count();
  return data_threads(data.gathered(), computing, available_threads(), wanted);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
