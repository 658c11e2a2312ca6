// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <ridgepoint/core/thread_count.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// What several threads make while one takes it in order; a thread waits where `ahead` are not taken yet.
template <class T, class Make>
class makers {
 public:
  makers(index_t count, int threads, index_t ahead, const Make& make)
      : count_(count), made_(static_cast<std::size_t>(ahead)), make_(make) {
    try {
      for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
    } catch (...) {  // no more threads: those there are can do it
      if (threads_.empty()) throw;
    }
  }
  makers(const makers&) = delete;
  makers& operator=(const makers&) = delete;
  ~makers() {
    {
      const std::lock_guard lock(mutex_);
      next_ = count_;
    }
    room_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// The next one, once it is made. Throws: what making it threw.
  [[nodiscard]] T take() {
    made result;
    {
      std::unique_lock lock(mutex_);
      made& slot = made_[static_cast<std::size_t>(taken_) % made_.size()];
      ready_.wait(lock, [&] { return slot.done; });
      std::swap(result, slot);
      ++taken_;
    }
    room_.notify_one();
    if (result.failure) std::rethrow_exception(result.failure);
    return std::move(*result.value);
  }

 private:
  struct made {
    bool done = false;
    std::optional<T> value;
    std::exception_ptr failure;
  };

  void work() {
    for (;;) {
      index_t i = 0;
      {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return next_ == count_ || next_ < taken_ + static_cast<index_t>(made_.size()); });
        if (next_ == count_) return;
        i = next_++;
      }
      made result;
      try {
        result.value.emplace(make_(i));
      } catch (...) {
        result.failure = std::current_exception();
      }
      result.done = true;
      {
        const std::lock_guard lock(mutex_);
        made_[static_cast<std::size_t>(i) % made_.size()] = std::move(result);
      }
      ready_.notify_one();
    }
  }

  index_t count_, next_ = 0, taken_ = 0;
  std::vector<made> made_;  // number i is in slot i mod size
  const Make& make_;
  std::mutex mutex_;
  std::condition_variable room_, ready_;
  std::vector<std::thread> threads_;
};

}  // namespace detail

/// take(make(0)), take(make(1)) … take(make(count − 1)): made on several threads at once, taken on this one and in
/// order, so that what comes of it does not depend on the number of threads.
///
/// At most four per thread are made and not yet taken. What make throws is thrown here when it would be taken, so that
/// of several failures it is always the first; what take throws ends it, too.
/// Throws: value_error unless 0 (all cores) <= threads <= 1024; what make and take throw.
/// Example: rp::make_ahead(100, 0, [](rp::index_t i) { return read(i); }, [&](auto image) { keep(image); });
template <class Make, class Take>
void make_ahead(index_t count, int threads, const Make& make, Take&& take) {
  check_thread_count("make_ahead", threads);
  const int used = threads == 0 ? available_threads() : threads;
  detail::makers<decltype(make(index_t{})), Make> ahead(count, used, 4 * index_t{used}, make);
  for (index_t i = 0; i < count; ++i) take(ahead.take());
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
