// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include <ridgepoint/cpu/native_cpu.hpp>
#include <ridgepoint/cpu/probe_ops.hpp>
#include <ridgepoint/kernels/probe/probe.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The SIMD CPU with its strongest instruction set, for any flags of this translation unit. It has only
/// microbenchmarks: the roof for `native_cpu`, which computes with the flags it is compiled with.
struct strongest_cpu : native_cpu {
  using native_cpu::native_cpu;
  [[nodiscard]] static std::string_view isa() noexcept {
    static const std::string_view strongest =
        *std::find_if(simd::isa_names.rbegin(), simd::isa_names.rend(), [](auto name) { return simd::cpu_runs(name); });
    return strongest;
  }
  [[nodiscard]] static std::string name() { return concat("ridgepoint.", isa()); }
};
/// Returns the backend whose ceilings probe() measures for native_cpu.
[[nodiscard]] inline strongest_cpu strongest(const native_cpu& on) { return strongest_cpu(on.threads); }

template <class T>
void execute(const strongest_cpu& on, const peak_args<T>& args) {
  *args.result = detail::run_together(args.threads, [&](index_t) { return kernels::run_peak(on.isa(), args); });
}
inline void execute(const strongest_cpu&, const peak_args<bfloat16>& args) {
  *args.result = detail::run_together(args.threads, [&](index_t) { return kernels::run_peak(args); });
}
inline void execute(const strongest_cpu& on, const stream_args& args) {
  const index_t part_size = args.size / (std::max)(args.threads, 1);
  *args.result = detail::run_together(
      args.threads, [&](index_t part) { return kernels::run_stream(on.isa(), args, part * part_size, part_size); });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
