// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include <ridgepoint/core/types.hpp>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Untyped host memory, 64-byte aligned, freed by its owner. Contents are undefined at first.
///
/// From 2 MiB on it uses huge pages where the system has them: a column of a 4 MiB matrix touches a page per row, more
/// than the first-level TLB holds.
class host_buffer {
 public:
  host_buffer() = default;
  /// Throws: std::bad_alloc.
  explicit host_buffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    const std::size_t boundary = bytes < huge_page_bytes ? alignment_bytes : huge_page_bytes;
    const std::size_t padded = (bytes + boundary - 1) / boundary * boundary;
    if (padded < bytes) throw std::bad_alloc();
    data_.reset(std::aligned_alloc(boundary, padded));
    if (!data_) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
    if (boundary == huge_page_bytes)
      madvise(data_.get(), padded, MADV_HUGEPAGE);  // only a hint: failure changes nothing
#endif
  }
  /// Moves the memory; `other` becomes empty.
  host_buffer(host_buffer&& other) noexcept
      : data_(std::move(other.data_)), bytes_(std::exchange(other.bytes_, std::size_t{0})) {}
  host_buffer& operator=(host_buffer&& other) noexcept {
    data_ = std::move(other.data_);
    bytes_ = std::exchange(other.bytes_, std::size_t{0});
    return *this;
  }
  ~host_buffer() = default;

  [[nodiscard]] void* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_; }

 private:
  static constexpr std::size_t huge_page_bytes = std::size_t{1} << 21;
  struct release {
    void operator()(void* p) const noexcept { std::free(p); }
  };
  std::unique_ptr<void, release> data_;
  std::size_t bytes_ = 0;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
