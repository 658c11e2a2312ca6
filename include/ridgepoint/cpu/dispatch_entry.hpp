// SPDX-License-Identifier: MIT
#pragma once

#include <new>
#include <type_traits>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/cpu/dispatch_table.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Creates the table entry of an op on backends of type On, constructed from the plain data passed through the table.
template <class On, class Args>
struct dispatch_entry {
  using crossing = ridgepoint_dispatch_backend;

  static void run(crossing on, const void* args) { execute(On(on), *static_cast<const Args*>(args)); }

  /// An op without prepare() runs unprepared.
  static void prepare_call(crossing on, const void* args, const void* options, void* made) {
    cpu_prepared& call = *static_cast<cpu_prepared*>(made);
    if constexpr (prepares<On, Args>) {
      const auto& given = *static_cast<const prepare_options*>(options);
      const auto state = prepare(On(on), *static_cast<const Args*>(args), given);
      using state_type = std::remove_const_t<decltype(state)>;
      static_assert(std::is_trivially_copyable_v<state_type> && sizeof(state) <= cpu_prepared::state_bytes,
                    "a prepared call crosses the table as plain data");
      call.info = state.info;
      ::new (static_cast<void*>(call.state)) state_type(state);
      call.run = [](crossing team, const void* of, const void* with, const void* memory) {
        execute(On(team), *static_cast<const state_type*>(of), *static_cast<const Args*>(with),
                *static_cast<const call_memory*>(memory));
      };
      call.make_constants = [](crossing team, const void* of, const void* with, void* to) {
        make_constants(On(team), *static_cast<const state_type*>(of), *static_cast<const Args*>(with), to);
      };
    } else {
      if constexpr (requires(const Args& a) { receipt(a); })
        call.info.executed = receipt(*static_cast<const Args*>(args));
      call.run = [](crossing team, const void*, const void* with, const void*) { run(team, with); };
    }
  }

  static constexpr ridgepoint_dispatch_entry value{run, prepare_call, sizeof(Args), nullptr};
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
