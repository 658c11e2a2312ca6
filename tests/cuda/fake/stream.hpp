// SPDX-License-Identifier: MIT
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "machine.hpp"

namespace emulator {
struct kernel;
}

namespace fake {

/// Runs a call in its turn, or records it if the stream records. A silent machine only notes it.
void enqueue(cudaStream_t on, std::function<void()> call);
/// Notes a task on a silent machine.
void note(cudaStream_t on, task what);
/// Notes tasks for the device, from a stream or from a recording.
void give(const std::vector<task>& some);

/// Returns whether all these bytes are device memory.
bool on_device(const void* at, std::size_t bytes);
/// Returns whether they are memory of this stream's device, with this alignment; otherwise notes that the call breaks a
/// rule.
bool may_use(cudaStream_t on, const void* at, std::size_t bytes, std::size_t alignment, const char* call);

/// Returns the current device of this thread.
int device_of_thread();
/// Returns whether that is the device of this stream, and of the library's handle, as it must be.
bool is_current(cudaStream_t on, int of_handle, const char* call);

/// Returns the kernel of this name, null if not found. A silent machine has every chain.
const emulator::kernel* find_kernel(const std::string& name);

/// Counts the recordings of this thread.
void recording_begins();
void recording_ends();

/// A hash of bytes.
class digest {
 public:
  digest& add(const void* data, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) value_ = (value_ ^ static_cast<const unsigned char*>(data)[i]) * prime;
    return *this;
  }
  template <class Value>
  digest& add(const Value& value) {
    return add(&value, sizeof value);
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t prime = 1'099'511'628'211;
  std::uint64_t value_ = 14'695'981'039'346'656'037U;
};

}  // namespace fake
