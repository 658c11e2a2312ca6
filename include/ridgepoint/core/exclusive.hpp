// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <string_view>

#include <ridgepoint/core/error.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Refuses a second thread while one is inside an object whose calls share memory.
///
/// The thread inside may enter again: a callback may call the object that called it. A copy starts unlocked.
/// Example:
///   const exclusive::use held = alone_.enter("trainer");      // to the end of the scope
class exclusive {
 public:
  exclusive() = default;
  exclusive(const exclusive&) noexcept {}
  exclusive& operator=(const exclusive&) noexcept { return *this; }
  ~exclusive() = default;

  /// Leaves at the end of its lifetime.
  class use {
   public:
    use(const use&) = delete;
    use& operator=(const use&) = delete;
    ~use() {
      if (outermost_ != nullptr) *outermost_ = nullptr;
    }

   private:
    friend class exclusive;
    explicit use(std::atomic<const void*>* outermost) noexcept : outermost_(outermost) {}
    std::atomic<const void*>* outermost_;
  };

  /// Throws: value_error if another thread is inside.
  [[nodiscard]] use enter(std::string_view what) {
    static thread_local const char this_thread = 0;  // its address identifies the thread
    const void *inside = nullptr, *const self = &this_thread;
    if (inside_.compare_exchange_strong(inside, self)) return use(&inside_);
    require<value_error>(inside == self, what, ": another thread is inside; must be used by one at a time");
    return use(nullptr);
  }

 private:
  std::atomic<const void*> inside_ = nullptr;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
