// SPDX-License-Identifier: MIT
// Compiled once per instruction set: every op of this library's CPU backend behind one table of plain data.
#include <new>
#include <type_traits>

#include <ridgepoint/cpu/all.hpp>
#include <ridgepoint/cpu/dispatch_table.hpp>
#include <ridgepoint/cpu/dispatched_ops.hpp>
#include <ridgepoint/cpu/native_cpu.hpp>
#include <ridgepoint/cpu/probe_ops.hpp>

namespace {

namespace rp = ridgepoint;

using backend = ridgepoint_dispatch_backend;
rp::native_cpu native(backend on) { return {{}, on.threads, static_cast<rp::subnormals>(on.subnormals)}; }

template <class Args>
void run(backend on, const void* args) {
  execute(native(on), *static_cast<const Args*>(args));
}

/// An op that this copy does not prepare runs as it is.
template <class Args>
void prepare_call(backend on, const void* args, const void* options, void* made) {
  rp::cpu_prepared& call = *static_cast<rp::cpu_prepared*>(made);
  if constexpr (rp::prepares<rp::native_cpu, Args>) {
    const auto& given = *static_cast<const rp::prepare_options*>(options);
    const auto state = prepare(native(on), *static_cast<const Args*>(args), given);
    using state_type = std::remove_const_t<decltype(state)>;
    static_assert(std::is_trivially_copyable_v<state_type> && sizeof(state) <= rp::cpu_prepared::state_bytes,
                  "a prepared call crosses the table as plain data");
    call.told = state.told;
    ::new (static_cast<void*>(call.state)) state_type(state);
    call.run = [](backend team, const void* of, const void* with, const void* memory) {
      execute(native(team), *static_cast<const state_type*>(of), *static_cast<const Args*>(with),
              *static_cast<const rp::call_memory*>(memory));
    };
    call.make_constants = [](backend team, const void* of, const void* with, void* to) {
      make_constants(native(team), *static_cast<const state_type*>(of), *static_cast<const Args*>(with), to);
    };
  } else {
    if constexpr (requires(const Args& a) { receipt(a); })
      call.told.executed = receipt(*static_cast<const Args*>(args));
    call.run = [](backend team, const void*, const void* with, const void*) { run<Args>(team, with); };
  }
}

template <class... Args>
const ridgepoint_dispatch_table* table(rp::type_list<Args...>) {
  static_assert((rp::executes<rp::native_cpu, Args> && ...), "the CPU backend lacks an op: include it in cpu/all.hpp");
  static constexpr ridgepoint_dispatch_entry entries[] = {{run<Args>, prepare_call<Args>, sizeof(Args)}...};
  static constexpr ridgepoint_dispatch_table all{RIDGEPOINT_VERSION, rp::simd::native::name.data(),
                                                 rp::available_threads, sizeof...(Args), entries};
  return &all;
}

}  // namespace

extern "C" const void* RIDGEPOINT_ISA_SYMBOL(ridgepoint_dispatch)();
extern "C" const void* RIDGEPOINT_ISA_SYMBOL(ridgepoint_dispatch)() { return table(rp::dispatched_ops{}); }
