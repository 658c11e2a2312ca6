// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>

#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/cpu_backend.hpp>
#include <ridgepoint/kernels/probe/probe_kernels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Runs body(part) on `threads` threads at once. They wait for each other (at most 2 ms: a team may be smaller than
/// requested), then start together. Returns their summed counts and the time from first start to last end.
template <class Body>
probe_result run_together(int threads, const Body& body) noexcept {
  using clock = std::chrono::steady_clock;
  struct alignas(128) span {  // a cache line pair each: threads must not share one
    clock::time_point start, end;
    std::uint64_t count = 0;
  };
  static constexpr int most = 1024;
  std::array<span, most> spans;
  std::atomic<int> missing{std::clamp(threads, 1, most)};
  const int parts = missing;
  parallel_for(parts, parts, [&](index_t part) {
    span& mine = spans[static_cast<std::size_t>(part)];
    --missing;
    const auto give_up = clock::now() + std::chrono::milliseconds(2);
    do mine.start = clock::now();
    while (missing > 0 && mine.start < give_up);
    mine.count = body(part);
    mine.end = clock::now();
  });
  clock::time_point start = spans[0].start, end = spans[0].end;
  probe_result total;
  for (int part = 0; part < parts; ++part) {
    const span& s = spans[static_cast<std::size_t>(part)];
    start = (std::min)(start, s.start);
    end = (std::max)(end, s.end);
    total.count += s.count;
  }
  total.elapsed_s = std::chrono::duration<double>(end - start).count();
  return total;
}

}  // namespace detail

/// Runs microbenchmarks of this instruction set; probe() in cpu/probe.hpp builds a machine from them.
template <cpu_backend On, class T>
void execute(const On& on, const peak_args<T>& args) {
  *args.result =
      detail::run_together(args.threads, [&](index_t) { return on.template call<kernels::peak_window<T>>(args); });
}
template <class T>
type_list<kernels::peak_window<T>> kernels_of(const peak_args<T>&);

template <cpu_backend On>
void execute(const On& on, const stream_args& args) {
  const index_t part_size = args.size / (std::max)(args.threads, 1);
  *args.result = detail::run_together(args.threads, [&](index_t part) {
    return on.template call<kernels::stream_window<float>>(args, part * part_size, part_size);
  });
}
type_list<kernels::stream_window<float>> kernels_of(const stream_args&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/cpu/strongest_cpu.hpp>
#endif
