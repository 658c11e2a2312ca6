// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <ridgepoint/core/backend.hpp>

/// Another backend with memory that faults when anything except an op or a transfer touches it: emulates the effect of
/// device memory on host code, on a machine without a device.
///
/// Each allocation has pages of its own, without access except inside execute(), upload(), download() and copy().
template <class Inner>
class fenced {
 public:
  class buffer {
   public:
    buffer() = default;
    explicit buffer(std::size_t bytes) : bytes_(bytes), mapped_((bytes / page + 1) * page) {
      data_ = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (data_ == MAP_FAILED) throw std::bad_alloc();
      all().emplace_back(data_, mapped_);
    }
    buffer(buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_), mapped_(other.mapped_) {}
    buffer& operator=(buffer&& other) noexcept {
      std::swap(data_, other.data_);
      std::swap(bytes_, other.bytes_);
      std::swap(mapped_, other.mapped_);
      return *this;
    }
    ~buffer() {
      if (data_ == nullptr) return;
      std::erase(all(), std::pair(data_, mapped_));
      munmap(data_, mapped_);
    }
    [[nodiscard]] void* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_; }

   private:
    static constexpr std::size_t page = 4096;
    void* data_ = nullptr;
    std::size_t bytes_ = 0, mapped_ = 0;
  };

  explicit fenced(Inner inner) : inner_(std::move(inner)) {}
  [[nodiscard]] buffer allocate(std::size_t bytes) const { return buffer(bytes); }
  void upload(void* dst, const void* src, std::size_t bytes) const { copy(dst, src, bytes); }
  void download(void* dst, const void* src, std::size_t bytes) const { copy(dst, src, bytes); }
  void copy(void* dst, const void* src, std::size_t bytes) const {
    const opened access;
    std::memcpy(dst, src, bytes);
  }
  void synchronize() const {}
  [[nodiscard]] std::string name() const { return "fenced." + inner_.name(); }

  template <class Args>
    requires ridgepoint::executes<Inner, Args>
  friend void execute(const fenced& on, const Args& args) {
    const opened access;
    execute(on.inner_, args);
  }

 private:
  /// All fenced memory is accessible while one of these lives.
  struct opened {
    opened() { protect(PROT_READ | PROT_WRITE); }
    opened(const opened&) = delete;
    opened& operator=(const opened&) = delete;
    ~opened() { protect(PROT_NONE); }
    static void protect(int access) {
      for (const auto& [data, bytes] : all()) mprotect(data, bytes, access);
    }
  };
  static std::vector<std::pair<void*, std::size_t>>& all() {
    static std::vector<std::pair<void*, std::size_t>> mapped;
    return mapped;
  }

  Inner inner_;
};
