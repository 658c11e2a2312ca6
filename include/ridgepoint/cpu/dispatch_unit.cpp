// SPDX-License-Identifier: MIT
// Compiled once per instruction set: every op of this library's CPU backend behind one table of plain data.
#include <ridgepoint/cpu/all.hpp>
#include <ridgepoint/cpu/dispatch_table.hpp>
#include <ridgepoint/cpu/dispatched_ops.hpp>
#include <ridgepoint/cpu/native_cpu.hpp>
#include <ridgepoint/cpu/probe_ops.hpp>

namespace {

namespace rp = ridgepoint;

template <class Args>
void run(int threads, const void* args) {
  execute(rp::native_cpu(threads), *static_cast<const Args*>(args));
}

template <class... Args>
const ridgepoint_dispatch_table* table(rp::type_list<Args...>) {
  static_assert((rp::executes<rp::native_cpu, Args> && ...), "the CPU backend lacks an op: include it in cpu/all.hpp");
  static constexpr ridgepoint_dispatch_entry entries[] = {{run<Args>, sizeof(Args)}...};
  static constexpr ridgepoint_dispatch_table all{RIDGEPOINT_VERSION, rp::simd::native::name.data(),
                                                 rp::available_threads, sizeof...(Args), entries};
  return &all;
}

}  // namespace

extern "C" const void* RIDGEPOINT_ISA_SYMBOL(ridgepoint_dispatch)();
extern "C" const void* RIDGEPOINT_ISA_SYMBOL(ridgepoint_dispatch)() { return table(rp::dispatched_ops{}); }
