// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <memory>
#include <new>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Untyped host memory on a 64-byte boundary, freed with its owner. Contents start undefined.
class host_buffer {
 public:
  host_buffer() = default;
  /// Throws: std::bad_alloc.
  explicit host_buffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    const std::size_t padded = (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
    if (padded < bytes) throw std::bad_alloc();
    data_.reset(std::aligned_alloc(alignment_bytes, padded));
    if (!data_) throw std::bad_alloc();
  }
  [[nodiscard]] void* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_; }

 private:
  struct release {
    void operator()(void* p) const noexcept { std::free(p); }
  };
  std::unique_ptr<void, release> data_;
  std::size_t bytes_ = 0;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
