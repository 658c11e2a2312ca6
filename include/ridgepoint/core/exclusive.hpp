// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <string_view>
#include <thread>

#include <ridgepoint/core/error.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Refuses a second thread while one is inside an object whose calls share memory.
///
/// The thread that is inside may enter again: a callback may ask the object that called it. A copy is free.
/// Example:
///   const exclusive::use held = alone_.enter("trainer");      // to the end of the scope
class exclusive {
 public:
  exclusive() = default;
  exclusive(const exclusive&) noexcept {}
  exclusive& operator=(const exclusive&) noexcept { return *this; }
  ~exclusive() = default;

  /// Leaves when it goes.
  class use {
   public:
    use(const use&) = delete;
    use& operator=(const use&) = delete;
    ~use() {
      if (outermost_) *outermost_ = std::thread::id();
    }

   private:
    friend class exclusive;
    explicit use(std::atomic<std::thread::id>* outermost) noexcept : outermost_(outermost) {}
    std::atomic<std::thread::id>* outermost_;
  };

  /// Throws: value_error if another thread is inside.
  [[nodiscard]] use enter(std::string_view what) {
    std::thread::id inside;
    const std::thread::id self = std::this_thread::get_id();
    if (inside_.compare_exchange_strong(inside, self)) return use(&inside_);
    require<value_error>(inside == self, what, ": another thread is inside; must be used by one at a time");
    return use(nullptr);
  }

 private:
  std::atomic<std::thread::id> inside_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
