// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>

#include <ridgepoint/cpu/native_cpu.hpp>
#include <ridgepoint/kernels/probe/peak.hpp>
#include <ridgepoint/kernels/probe/stream.hpp>
#include <ridgepoint/kernels/probe/strongest.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Runs body(part) on `threads` threads at once. They wait for each other (at most 2 ms: a team may be smaller than
/// asked for), then start together; the result has their summed counts and the time from first start to last end.
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
    start = std::min(start, s.start);
    end = std::max(end, s.end);
    total.count += s.count;
  }
  total.elapsed_s = std::chrono::duration<double>(end - start).count();
  return total;
}

}  // namespace detail

/// Microbenchmarks of this instruction set; probe() in cpu/probe.hpp makes a machine of them.
template <class T>
void execute(const native_cpu&, const peak_args<T>& args) {
  *args.result = detail::run_together(args.threads, [&](index_t) { return kernels::run_peak(args); });
}
inline void execute(const native_cpu&, const stream_args& args) {
  const index_t part_size = args.size / std::max(args.threads, 1);
  *args.result = detail::run_together(
      args.threads, [&](index_t part) { return kernels::run_stream(args, part * part_size, part_size); });
}

/// The SIMD CPU with its strongest instruction set, whatever this translation unit is compiled for. It has
/// microbenchmarks only: the roof under which `native_cpu` computes with what it was given.
struct strongest_cpu : native_cpu {
  using native_cpu::native_cpu;
  [[nodiscard]] static std::string_view isa() noexcept {
    static const std::string_view strongest =
        *std::find_if(simd::isa_names.rbegin(), simd::isa_names.rend(), [](auto name) { return simd::cpu_runs(name); });
    return strongest;
  }
  [[nodiscard]] static std::string name() { return concat("ridgepoint.", isa()); }
};
/// Whose ceilings probe() measures in place of those of native_cpu.
[[nodiscard]] inline strongest_cpu strongest(const native_cpu& on) { return strongest_cpu(on.threads); }

template <class T>
void execute(const strongest_cpu& on, const peak_args<T>& args) {
  *args.result = detail::run_together(args.threads, [&](index_t) { return kernels::run_peak(on.isa(), args); });
}
inline void execute(const strongest_cpu& on, const stream_args& args) {
  const index_t part_size = args.size / std::max(args.threads, 1);
  *args.result = detail::run_together(
      args.threads, [&](index_t part) { return kernels::run_stream(on.isa(), args, part * part_size, part_size); });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
