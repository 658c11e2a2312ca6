// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

extern "C" {
/// One op of a dispatch table. `args` points to the op's arguments: `args_size` bytes of plain data, laid out alike in
/// every copy of the library.
struct ridgepoint_dispatch_entry {
  void (*run)(int threads, const void* args);
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
