// SPDX-License-Identifier: MIT
// Compiled once per instruction set: a plain-data table of this library's CPU kernels, and any ops that are not above
// the watershed.
#include <algorithm>
#include <array>
#include <utility>

#include <ridgepoint/cpu/all.hpp>
#include <ridgepoint/cpu/dispatch_entry.hpp>
#include <ridgepoint/cpu/dispatch_table.hpp>
#include <ridgepoint/cpu/native_cpu.hpp>
#include <ridgepoint/cpu/probe_ops.hpp>

#include <ridgepoint/cpu/dispatched_cpu.hpp>  // after every op

namespace {

namespace rp = ridgepoint;

/// native_cpu, constructed from the plain data passed through the table.
struct crossed_cpu : rp::native_cpu {
  explicit crossed_cpu(ridgepoint_dispatch_backend on)
      : native_cpu(checked{}, on.threads, static_cast<rp::subnormals>(on.subnormals)) {}
};

template <class... Kernels>
const ridgepoint_kernel_table* kernel_table(rp::type_list<Kernels...>) {
  constexpr auto distinct = [] {
    std::array<std::uint64_t, sizeof...(Kernels)> ids{Kernels::id...};
    std::sort(ids.begin(), ids.end());
    return std::adjacent_find(ids.begin(), ids.end()) == ids.end();
  };
  static_assert(distinct(), "two kernels have the same id");
  static const ridgepoint_kernel_entry entries[] = {{Kernels::id, reinterpret_cast<void (*)()>(&Kernels::run)}...};
  using isa = rp::simd::native;
  static const ridgepoint_kernel_table all{RIDGEPOINT_VERSION, isa::name.data(),   isa::width_bytes, isa::registers,
                                           isa::fma,           sizeof...(Kernels), entries};
  return &all;
}

template <class Args>
constexpr ridgepoint_dispatch_entry entry() {
  ridgepoint_dispatch_entry small{nullptr, nullptr, sizeof(Args), nullptr};
  if constexpr (requires(const Args& a) { small_kernel_of(a); })
    small.run_small = [](const void* args) {
      using kernel = decltype(small_kernel_of(std::declval<const Args&>()));
      return kernel::run(*static_cast<const Args*>(args));
    };
  if constexpr (rp::above_watershed<Args>) return small;
  else return rp::dispatch_entry<crossed_cpu, Args>::value;
}

template <class... Args>
const ridgepoint_dispatch_table* table(rp::type_list<Args...>) {
  static_assert((rp::executes<rp::native_cpu, Args> && ...), "the CPU backend lacks an op: include it in cpu/all.hpp");
  static constexpr ridgepoint_dispatch_entry entries[] = {entry<Args>()...};
  static const ridgepoint_dispatch_table all{kernel_table(rp::dispatched_kernels{}), sizeof...(Args), entries,
                                             [](rp::detail::team_function run) { rp::detail::team_of_calls = run; }};
  return &all;
}

}  // namespace

extern "C" const void* RIDGEPOINT_ISA_SYMBOL(ridgepoint_dispatch)();
extern "C" const void* RIDGEPOINT_ISA_SYMBOL(ridgepoint_dispatch)() { return table(rp::dispatched_ops{}); }
