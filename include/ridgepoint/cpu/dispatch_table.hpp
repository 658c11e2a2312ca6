// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/ops/prepare.hpp>

extern "C" {
/// The backend that a call is made on, as plain data.
struct ridgepoint_dispatch_backend {
  int threads;
  int subnormals;  // a ridgepoint::subnormals
};
/// One op of a dispatch table. `args` points to the op's arguments: `args_size` bytes of plain data, laid out alike in
/// every copy of the library.
struct ridgepoint_dispatch_entry {
  void (*run)(ridgepoint_dispatch_backend on, const void* args);
  void (*prepare)(ridgepoint_dispatch_backend on, const void* args, const void* options,
                  void* made);  // prepare_options, cpu_prepared
  std::size_t args_size;
};
/// Every op as one instruction set computes it: what cpu/dispatch_unit.cpp exports and cpu/cpu.hpp calls. Outside
/// the keyed namespace, because copies with different keys share it.
struct ridgepoint_dispatch_table {
  int version;  // RIDGEPOINT_VERSION of the copy
  const char* isa;
  int (*available_threads)();
  std::size_t count;
  const ridgepoint_dispatch_entry* entries;  // in the order of dispatched_ops
};
}

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A call that one instruction set's copy has prepared: plain data, laid out alike in every copy, with the functions of
/// the copy that understands it.
struct cpu_prepared {
  static constexpr std::size_t state_bytes = 2048;
  preparation told = {};
  void (*run)(ridgepoint_dispatch_backend on, const void* state, const void* args,
              const void* memory) = nullptr;  // call_memory
  void (*make_constants)(ridgepoint_dispatch_backend on, const void* state, const void* args, void* to) = nullptr;
  alignas(alignment_bytes) std::byte state[state_bytes] = {};
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
