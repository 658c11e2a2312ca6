// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

/// Where in its pages a guarded_vector lies.
enum class placement_in_page { at_the_end, at_the_start, misaligned };

/// `size` elements between two pages without access. At the end, reading or writing past the last element faults; at
/// the start, before the first; misaligned, the first element lies on no register boundary.
template <class T>
class guarded_vector {
 public:
  guarded_vector(std::ptrdiff_t size, placement_in_page where) : size_(static_cast<std::size_t>(size)) {
    const std::size_t bytes = (size_ + 1) * sizeof(T);
    pages_ = (bytes + page - 1) / page * page;
    map_ = static_cast<std::byte*>(mmap(nullptr, pages_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (map_ == MAP_FAILED) throw std::bad_alloc();
    if (mprotect(map_ + page, pages_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    std::byte* first = map_ + page;
    if (where == placement_in_page::at_the_end) first += pages_ - size_ * sizeof(T);
    if (where == placement_in_page::misaligned) first += sizeof(T);
    data_ = reinterpret_cast<T*>(first);
  }
  guarded_vector(const guarded_vector&) = delete;
  guarded_vector& operator=(const guarded_vector&) = delete;
  guarded_vector(guarded_vector&& other) noexcept
      : data_(other.data_), size_(other.size_), map_(other.map_), pages_(other.pages_) {
    other.map_ = nullptr;
  }
  ~guarded_vector() {
    if (map_ != nullptr) munmap(map_, pages_ + 2 * page);
  }
  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  static constexpr std::size_t page = 4096;
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::byte* map_ = nullptr;
  std::size_t pages_ = 0;
};
