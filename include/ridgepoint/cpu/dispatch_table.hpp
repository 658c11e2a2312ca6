// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/ops/prepare.hpp>

/// \file
/// Plain data exchanged between the copies of the library. Outside the ABI namespace, because copies with different
/// keys share it.
extern "C" {
/// A kernel for one instruction set; `run` has the kernel's own function type.
struct ridgepoint_kernel_entry {
  std::uint64_t id;
  void (*run)();
};
/// All kernels of one instruction set, and its registers.
struct ridgepoint_kernel_table {
  int version;  // RIDGEPOINT_VERSION of the copy
  const char* isa;
  int width_bytes, registers, fma;
  std::size_t count;
  const ridgepoint_kernel_entry* entries;  // in the order of dispatched_kernels
};
/// The backend of a call.
struct ridgepoint_dispatch_backend {
  int threads;
  int subnormals;  // a ridgepoint::subnormals
  const ridgepoint_kernel_table* kernels;
};
/// One op of a dispatch table. `args` points to the op's arguments: `args_size` bytes of plain data with the same
/// layout in every copy of the library.
struct ridgepoint_dispatch_entry {
  void (*run)(ridgepoint_dispatch_backend on, const void* args);
  void (*prepare)(ridgepoint_dispatch_backend on, const void* args, const void* options,
                  void* made);  // prepare_options, cpu_prepared
  std::size_t args_size;
  bool (*run_small)(const void* args);  // in the table of an instruction set: runs a single-kernel call, else false
};
/// The table of one instruction set (cpu/dispatch_unit.cpp): its kernels, and the ops compiled per instruction set.
/// Other ops have only run_small.
struct ridgepoint_dispatch_table {
  const ridgepoint_kernel_table* kernels;
  std::size_t count;
  const ridgepoint_dispatch_entry* entries;  // in the order of dispatched_ops
  void (*use_team)(bool (*run)(int threads, ridgepoint::index_t parts,
                               void (*part)(void* context, ridgepoint::index_t part, ridgepoint::index_t seat),
                               void* context) noexcept);
};
/// Returns the ops that are compiled once (cpu/ops_unit.cpp), using the kernels of this table; in the order of
/// dispatched_ops, without functions for all others.
/// Throws: unsupported if the table is not of this version, not for `isa`, or has other kernels.
const ridgepoint_dispatch_entry* ridgepoint_dispatch_ops(const ridgepoint_dispatch_table* of, const char* isa);
int ridgepoint_dispatch_threads();
}

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A call prepared by one instruction set's copy: plain data with the same layout in every copy, and the functions of
/// the copy that reads it.
struct cpu_prepared {
  static constexpr std::size_t state_bytes = 2048;
  preparation info = {};
  void (*run)(ridgepoint_dispatch_backend on, const void* state, const void* args,
              const void* memory) = nullptr;  // call_memory
  void (*make_constants)(ridgepoint_dispatch_backend on, const void* state, const void* args, void* to) = nullptr;
  alignas(alignment_bytes) std::byte state[state_bytes] = {};
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
