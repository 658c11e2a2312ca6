// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

/// \file
/// The function table that the compiled component ridgepoint::cuda exports and cuda/cuda.hpp calls. It is outside the
/// keyed namespace because copies with different keys share it.

/// A failed call into CUDA, cuBLAS, cuDNN or NVRTC, as thrown across the table.
struct ridgepoint_cuda_failure : std::runtime_error {
  ridgepoint_cuda_failure(const std::string& message, std::string from, int number, std::string symbol)
      : std::runtime_error(message), library(std::move(from)), code(number), name(std::move(symbol)) {}
  std::string library;  // "CUDA"
  int code;             // 2
  std::string name;     // "cudaErrorMemoryAllocation"
};

struct ridgepoint_cuda_context;    // a device's stream, libraries and kernels, shared by the copies of a backend
struct ridgepoint_cuda_recording;  // recorded calls
struct ridgepoint_cuda_copy;       // a pending copy to the host
struct ridgepoint_cuda_chain;      // element-wise calls as one kernel
struct ridgepoint_cuda_staging;    // memory at both ends of a copy from the host that overlaps with computation

extern "C" {
/// Options of a backend, as plain data.
struct ridgepoint_cuda_choice {
  int device;
  int tensor_floats;                  // whether products of f32 may be made from TF32
  int own_cells;                      // whether recurrent layers are computed without cuDNN
  int times_engines;                  // whether to take the fastest of several engines for a convolution
  std::size_t workspace_limit_bytes;  // of a convolution, if engines differ
};
/// Properties of a device.
struct ridgepoint_cuda_device {
  int device;
  int major, minor;  // compute capability
  int multiprocessors;
  std::size_t memory_bytes, l2_bytes;
  double clock_hz;   // maximum
  char address[32];  // "0000:1b:00.0", PCI bus address
};
/// Properties of a prepared call.
struct ridgepoint_cuda_info {
  std::size_t workspace_bytes;
  const char* algorithm;                // "" if the op has only one
  unsigned long long more_matrix_flop;  // executed beyond the definition
};
/// A call of a chain.
struct ridgepoint_cuda_link {
  std::size_t op;  // index in the table
  const void* args;
  void* workspace;
  int kept;  // whether its element-wise output is read after the chain
};
/// A part of staged memory: see staged_part.
struct ridgepoint_cuda_part {
  void* to;
  std::size_t offset, bytes;
};
/// One op of the table. `args`: `args_size` bytes of plain data, with the same layout in every copy of the library.
struct ridgepoint_cuda_entry {
  void (*run)(ridgepoint_cuda_context& on, const void* args, void* workspace);  // null workspace: uses scratch
  ridgepoint_cuda_info (*prepare)(ridgepoint_cuda_context& on, const void* args);
  std::size_t args_size;
  void (*join)(ridgepoint_cuda_chain&, const ridgepoint_cuda_link&);  // null: not element-wise
};
struct ridgepoint_cuda_api {
  int version;  // RIDGEPOINT_VERSION of the copy
  int (*device_count)();
  const char* (*why_none)();  // one line; "" if a device is available

  ridgepoint_cuda_context* (*create)(ridgepoint_cuda_choice);
  void (*destroy)(ridgepoint_cuda_context*);
  const char* (*device_name)(const ridgepoint_cuda_context&);
  ridgepoint_cuda_device (*describe)(const ridgepoint_cuda_context&);

  void* (*allocate)(ridgepoint_cuda_context&, std::size_t bytes);
  void (*release)(ridgepoint_cuda_context&, void* memory);
  void (*upload)(ridgepoint_cuda_context&, void* dst, const void* src, std::size_t bytes);
  void (*download)(ridgepoint_cuda_context&, void* dst, const void* src, std::size_t bytes);
  void (*copy)(ridgepoint_cuda_context&, void* dst, const void* src, std::size_t bytes);
  void (*synchronize)(ridgepoint_cuda_context&);
  double (*elapsed_s)(ridgepoint_cuda_context&, void (*body)(const void* with), const void* with);

  void (*begin_recording)(ridgepoint_cuda_context&);
  ridgepoint_cuda_recording* (*end_recording)(ridgepoint_cuda_context&);
  void (*drop_recording)(ridgepoint_cuda_context&);  // in place of end_recording, after an exception
  void (*replay)(ridgepoint_cuda_context&, const ridgepoint_cuda_recording&);
  void (*forget)(ridgepoint_cuda_recording*);

  ridgepoint_cuda_copy* (*fetch)(ridgepoint_cuda_context&, void* dst, const void* src, std::size_t bytes);
  void (*wait)(ridgepoint_cuda_context&, ridgepoint_cuda_copy*);

  ridgepoint_cuda_chain* (*make_chain)(ridgepoint_cuda_context&, const ridgepoint_cuda_link* links, std::size_t count);
  void (*run_chain)(ridgepoint_cuda_context&, const ridgepoint_cuda_chain&);
  void (*drop_chain)(ridgepoint_cuda_chain*);
  ridgepoint_cuda_staging* (*stage)(ridgepoint_cuda_context&, const ridgepoint_cuda_part*, std::size_t count);
  void* (*open_staging)(ridgepoint_cuda_staging&);  // see core/backend.hpp on staging backends
  void (*send)(ridgepoint_cuda_staging&);
  void (*take)(ridgepoint_cuda_staging&);
  void (*finish_staging)(ridgepoint_cuda_staging&);
  void (*end_staging)(ridgepoint_cuda_staging*);
  void (*gather_rows)(ridgepoint_cuda_context&, void* dst, const void* src, std::size_t row_bytes, const long* rows,
                      long count);

  std::size_t count;
  const ridgepoint_cuda_entry* entries;  // in the order of cuda_ops
};

/// Defined by the library target ridgepoint::cuda.
const ridgepoint_cuda_api* ridgepoint_cuda();
}
