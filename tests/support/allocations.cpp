// SPDX-License-Identifier: MIT
#include <support/allocations.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {

std::atomic<std::size_t> live_bytes = 0, peak_bytes = 0, calls = 0;

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t live = live_bytes += malloc_usable_size(memory);
  std::size_t peak = peak_bytes;
  while (peak < live && !peak_bytes.compare_exchange_weak(peak, live)) {
  }
  ++calls;
  return memory;
}
void release(void* memory) noexcept {
  live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

std::size_t allocations::live() noexcept { return live_bytes; }
std::size_t allocations::peak() noexcept { return peak_bytes; }
std::size_t allocations::count() noexcept { return calls; }
void allocations::reset() noexcept {
  peak_bytes = live_bytes.load();
  calls = 0;
}

void* operator new(std::size_t bytes) { return counted(std::malloc(bytes == 0 ? 1 : bytes)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto boundary = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(boundary, (bytes + boundary - 1) / boundary * boundary));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
