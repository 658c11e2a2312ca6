// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Times spent producing items and waiting for them.
struct making_times {
  double waited_s = 0;  // consumer: waiting for items that were not ready, and producing items itself
  double made_s = 0;    // all other threads together, producing while the consumer did something else

  making_times& operator+=(const making_times& more) noexcept {
    waited_s += more.waited_s, made_s += more.made_s;
    return *this;
  }
};

namespace detail {

/// Produces numbered items on background threads while earlier items are used; one thread takes them in order. The
/// items do not depend on the number of threads.
///
/// make(number, place) produces an item in one of a few places, allocated in advance, so that nothing is allocated
/// later. A consumer whose item is not ready produces items itself until it is: without threads, it produces them all.
template <class Place, class Make>
class prefetcher {
 public:
  /// Threads start with the first item to produce ahead; if the system cannot start any, the consumer does the work.
  /// Requires: at least one place.
  prefetcher(std::vector<Place> places, int threads, Make make) : wanted_(threads), make_(std::move(make)) {
    for (Place& place : places) slots_.push_back({.place = std::move(place), .failure = {}});
  }
  prefetcher(const prefetcher&) = delete;
  prefetcher& operator=(const prefetcher&) = delete;
  ~prefetcher() {
    {
      const std::lock_guard lock(mutex_);
      end_ = 0;
      closed_ = true;
    }
    room_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// Returns item `number`, which stays valid until the next call; later items, below `end`, are produced meanwhile. A
  /// number other than the next one, or another `end`, restarts from there.
  /// Requires: number < end. Throws: the exception of its make(); a repeated request tries again.
  Place& take(index_t number, index_t end) {
    const clock::time_point start = clock::now();
    std::unique_lock lock(mutex_);
    if (end == end_ && number == held_ + 1) slot_of(held_).done = false;
    else begin_anew(lock, number, end);
    held_ = number;
    slot& wanted = slot_of(number);
    if (next_ < limit()) room_.notify_all();
    while (!wanted.done) {
      if (next_ < limit()) make_next(lock);
      else ready_.wait(lock);
    }
    times_.waited_s += seconds_since(start);
    if (wanted.failure) std::rethrow_exception(wanted.failure);
    return wanted.place;
  }
  /// Returns a place filled by fill(place), while nothing is produced ahead.
  template <class Fill>
  Place& fill_one(const Fill& fill) {
    const clock::time_point start = clock::now();
    pause();
    fill(slots_[0].place);
    times_.waited_s += seconds_since(start);
    return slots_[0].place;
  }
  /// Waits until nothing is being produced; production resumes with the next take().
  void pause() {
    std::unique_lock lock(mutex_);
    stop(lock);
  }
  [[nodiscard]] making_times times() const {
    const std::lock_guard lock(mutex_);
    return times_;
  }

 private:
  using clock = std::chrono::steady_clock;
  struct slot {
    Place place;
    std::exception_ptr failure;
    bool done = false;
  };

  static double seconds_since(clock::time_point start) {
    return std::chrono::duration<double>(clock::now() - start).count();
  }
  slot& slot_of(index_t number) noexcept { return slots_[static_cast<std::size_t>(number) % slots_.size()]; }
  /// Returns the end of the numbers that may be started.
  [[nodiscard]] index_t limit() const noexcept { return (std::min)(end_, held_ + static_cast<index_t>(slots_.size())); }

  void stop(std::unique_lock<std::mutex>& lock) {
    end_ = 0;
    ready_.wait(lock, [&] { return making_ == 0; });
  }
  void begin_anew(std::unique_lock<std::mutex>& lock, index_t number, index_t end) {
    stop(lock);
    for (slot& each : slots_) each.done = false;
    next_ = number;
    end_ = end;
    if (slots_.size() > 1 && end - number > 1) start_threads();
  }
  void start_threads() {
    try {
      while (static_cast<int>(threads_.size()) < wanted_) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      wanted_ = static_cast<int>(threads_.size());
    }
  }
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      room_.wait(lock, [&] { return closed_ || next_ < limit(); });
      if (closed_) return;
      times_.made_s += make_next(lock);
      ready_.notify_one();
    }
  }
  /// Produces the next item, with the lock released meanwhile. Returns the time it took.
  double make_next(std::unique_lock<std::mutex>& lock) {
    const index_t number = next_++;
    slot& mine = slot_of(number);
    ++making_;
    lock.unlock();
    const clock::time_point start = clock::now();
    std::exception_ptr failure;
    try {
      make_(number, mine.place);
    } catch (...) {
      failure = std::current_exception();
    }
    const double elapsed_s = seconds_since(start);
    lock.lock();
    --making_;
    mine.failure = std::move(failure);
    mine.done = true;
    return elapsed_s;
  }

  int wanted_;
  Make make_;
  mutable std::mutex mutex_;
  std::condition_variable room_, ready_;   // signal threads: an item can be produced; the consumer: an item is ready
  std::vector<slot> slots_;                // number i is in slot i mod size
  index_t held_ = 0, next_ = 0, end_ = 0;  // the item taken last, the next to start, the end
  int making_ = 0;
  bool closed_ = false;
  making_times times_;
  std::vector<std::thread> threads_;
};

}  // namespace detail

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
