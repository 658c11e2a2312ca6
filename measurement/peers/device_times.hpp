// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include <ridgepoint/cuda/cuda.hpp>

namespace peer {

/// GPU memory larger than the L2 cache: writing it evicts everything else.
class cold_cache {
 public:
  explicit cold_cache(const ridgepoint::cuda& on)
      : on_(on), memory_(on.allocate((2 * on.described().l2_bytes / 16 + 1) * 16)) {}

  /// Evicts the cache; returns before the device has finished.
  void make_cold() const {
    constexpr ridgepoint::index_t threads_of_one = 8 * 256;
    execute(on_, ridgepoint::gpu_stream_args{.kind = ridgepoint::gpu_stream_args::way::write,
                                             .words = static_cast<ridgepoint::index_t>(memory_.size_bytes() / 16),
                                             .to = memory_.data(),
                                             .threads = threads_of_one * on_.described().multiprocessors});
  }
  [[nodiscard]] const ridgepoint::cuda::buffer& memory() const noexcept { return memory_; }

 private:
  ridgepoint::cuda on_;
  ridgepoint::cuda::buffer memory_;
};

/// Returns the seconds of consecutive calls on a GPU, by its own events: operands are in the caches, as far as they
/// fit.
template <class Call>
[[nodiscard]] double warm_s(const ridgepoint::cuda& on, int calls, const Call& call) {
  return on.elapsed_s([&] {
    for (int i = 0; i < calls; ++i) call();
  });
}
/// Returns the seconds of calls with a cold L2 cache: it is overwritten before each call, outside the events. The
/// call is queued meanwhile, so that it begins at once.
template <class Call>
[[nodiscard]] double cold_s(const ridgepoint::cuda& on, const cold_cache& cache, int calls, const Call& call) {
  double sum_s = 0;
  for (int i = 0; i < calls; ++i) {
    cache.make_cold();
    sum_s += on.elapsed_s(call);
  }
  return sum_s;
}

}  // namespace peer
