// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include <ridgepoint/cuda/cuda.hpp>

namespace peer {

/// Memory of a GPU that is larger than its L2 cache: once it has been written, the cache has nothing else.
class cold_cache {
 public:
  explicit cold_cache(const ridgepoint::cuda& on)
      : on_(on), memory_(on.allocate((2 * on.described().l2_bytes / 16 + 1) * 16)) {}

  /// Returns before it is done.
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

/// Seconds of so many calls on a GPU that follow one another, by its own events: what they read is in the caches, as
/// much as these hold.
template <class Call>
[[nodiscard]] double warm_s(const ridgepoint::cuda& on, int calls, const Call& call) {
  return on.elapsed_s([&] {
    for (int i = 0; i < calls; ++i) call();
  });
}
/// The same of calls that find nothing in the L2 cache: it is overwritten before each, outside the events. While that
/// goes on the call is given to the device, so that it begins at once.
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
