// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What making things and waiting for them took.
struct making_times {
  double waited_s = 0;  // who takes them: for what was not ready, and for what it made itself
  double made_s = 0;    // all other threads together, while it did something else

  making_times& operator+=(const making_times& more) noexcept {
    waited_s += more.waited_s, made_s += more.made_s;
    return *this;
  }
};

namespace detail {

/// Numbered things, made on threads of their own while those before are used, and taken in order by one thread: what
/// comes of them does not depend on the number of threads.
///
/// make(number, place) makes one in one of a few places, which are there from the start, so that nothing is allocated
/// later. Who takes what is not ready makes something itself until it is: with no thread of their own, all of it.
template <class Place, class Make>
class makers {
 public:
  /// Threads start when there is something to make ahead; if the system gives none, it is done without.
  /// Requires: at least one place.
  makers(std::vector<Place> places, int threads, Make make) : wanted_(threads), make_(std::move(make)) {
    for (Place& place : places) slots_.push_back({.place = std::move(place), .failure = {}});
  }
  makers(const makers&) = delete;
  makers& operator=(const makers&) = delete;
  ~makers() {
    {
      const std::lock_guard lock(mutex_);
      end_ = 0;
      closed_ = true;
    }
    room_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// Thing `number`, which stays where it is until the next call; those behind it, below `end`, are made meanwhile.
  /// Any number but the next one, or another end, begins anew from there.
  /// Requires: number < end. Throws: what making it threw; it is tried again if it is asked for again.
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
  /// A place that fill(place) fills at once, while nothing is made ahead.
  template <class Fill>
  Place& fill_one(const Fill& fill) {
    const clock::time_point start = clock::now();
    pause();
    fill(slots_[0].place);
    times_.waited_s += seconds_since(start);
    return slots_[0].place;
  }
  /// Returns when nothing is being made; nothing will be until the next take().
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
  /// Numbers below may be begun.
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
  /// Makes the next one, and lets go of the lock meanwhile; how long it took.
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
  std::condition_variable room_, ready_;   // for threads to make something; for who takes, that something is made
  std::vector<slot> slots_;                // number i is in slot i mod size
  index_t held_ = 0, next_ = 0, end_ = 0;  // the one taken last, the one to be begun next, where they end
  int making_ = 0;
  bool closed_ = false;
  making_times times_;
  std::vector<std::thread> threads_;
};

}  // namespace detail
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
