// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <map>
#include <new>
#include <utility>

/// Pages of memory between two pages without access. Returned pages lose access as well, and are kept for the next
/// request of equal size: mapping pages costs more than most tests on them.
class guarded_pages {
 public:
  static constexpr std::size_t page = 4096;

  /// Returns `bytes` bytes in whole pages. Throws: std::bad_alloc.
  [[nodiscard]] static std::byte* take(std::size_t bytes) {
    std::byte* first = nullptr;
    if (const auto found = kept().find(bytes); found != kept().end()) {
      first = kept().extract(found).mapped();
    } else {
      void* const map = mmap(nullptr, bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (map == MAP_FAILED) throw std::bad_alloc();
      first = static_cast<std::byte*>(map) + page;
    }
    if (mprotect(first, bytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    return first;
  }
  static void give_back(std::byte* first, std::size_t bytes) {
    if (mprotect(first, bytes, PROT_NONE) != 0) std::abort();
    kept().emplace(bytes, first);
    if (kept().size() <= most_kept) return;
    const auto largest = std::prev(kept().end());
    munmap(largest->second - page, largest->first + 2 * page);
    kept().erase(largest);
  }

 private:
  static constexpr std::size_t most_kept = 64;
  static std::multimap<std::size_t, std::byte*>& kept() {
    static thread_local std::multimap<std::size_t, std::byte*> pages;
    return pages;
  }
};

/// Position of a guarded_vector in its pages.
enum class placement_in_page { at_the_end, at_the_start, misaligned };

/// `size` elements between two pages without access. At the end, reading or writing past the last element faults; at
/// the start, before the first; misaligned, the first element is on no register boundary.
template <class T>
class guarded_vector {
 public:
  guarded_vector(std::ptrdiff_t size, placement_in_page where) : size_(static_cast<std::size_t>(size)) {
    const std::size_t bytes = (size_ + 1) * sizeof(T), page = guarded_pages::page;
    bytes_ = (bytes + page - 1) / page * page;
    pages_ = guarded_pages::take(bytes_);
    std::byte* first = pages_;
    if (where == placement_in_page::at_the_end) first += bytes_ - size_ * sizeof(T);
    if (where == placement_in_page::misaligned) first += sizeof(T);
    data_ = reinterpret_cast<T*>(first);
  }
  guarded_vector(const guarded_vector&) = delete;
  guarded_vector& operator=(const guarded_vector&) = delete;
  guarded_vector(guarded_vector&& other) noexcept
      : data_(other.data_), size_(other.size_), pages_(std::exchange(other.pages_, nullptr)), bytes_(other.bytes_) {}
  ~guarded_vector() {
    if (pages_ != nullptr) guarded_pages::give_back(pages_, bytes_);
  }
  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::byte* pages_ = nullptr;
  std::size_t bytes_ = 0;
};
