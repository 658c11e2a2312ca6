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

/// Runs a call when it is its turn, or keeps it where the stream records. A silent machine notes that there was one.
void enqueue(cudaStream_t on, std::function<void()> call);
/// The same of a silent machine, with what it was.
void note(cudaStream_t on, task what);
/// Tasks for the device, from a stream or from what one has recorded.
void give(const std::vector<task>& some);

/// Whether so many bytes from here are memory of the device.
bool on_device(const void* at, std::size_t bytes);
/// Whether they are memory of the device of this stream, at such a multiple; that they are used is against the rules if
/// not.
bool may_use(cudaStream_t on, const void* at, std::size_t bytes, std::size_t alignment, const char* call);

/// The device that calls of this thread are for.
int device_of_thread();
/// Whether that is the device of this stream, and the one that a library's handle was made for, as it must be.
bool is_current(cudaStream_t on, int of_handle, const char* call);

/// The kernel of this name, null if there is none. A silent machine has every chain.
const emulator::kernel* find_kernel(const std::string& name);

/// This thread has one recording more, or less.
void recording_begins();
void recording_ends();

/// A number that differs where any of the bytes does, for all one can tell.
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
