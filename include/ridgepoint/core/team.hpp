// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <iterator>
#include <thread>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A caller and the threads that help it with the parts of a call, one call at a time.
///
/// Seat s (0: the caller) is offered parts s, s + members, s + 2·members, …, so that on a quiet machine a thread finds
/// in its caches what it wrote there in the call before. Who has no part left takes those of the others. The caller
/// waits for parts that a helper has begun, never for a helper that has not come: one that sleeps, or that another
/// process keeps off its core, takes nothing but its help away. Waiting spins for a moment, then sleeps. A part that
/// was begun and then kept off its core does hold up the caller. Where that goes on, at more than an eighth of the
/// time, helpers rest for eight times as long as was waited, at most 100 ms.
///
/// After fork() the child has no helpers and computes alone.
class team {
 public:
  using part_function = void (*)(void* context, index_t part, index_t seat);  // must not throw

  team() = default;
  team(const team&) = delete;
  team& operator=(const team&) = delete;
  ~team() { dismiss(); }

  /// run_part(context, part, seat) once for each part = 0 … parts-1, on at most `threads` threads, each with a seat of
  /// its own below that number. False, and nothing done, if there is nobody to help: another call has the team (of
  /// another thread, or the one this call is part of), or helpers rest.
  [[nodiscard]] bool run(int threads, index_t parts, part_function run_part, void* context) noexcept {
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    const clock::time_point start = clock::now();
    members_ = start < rest_until_ ? 1 : gather(std::min<index_t>(parts, threads));
    if (members_ > 1) {
      parts_ = parts;
      run_part_ = run_part;
      context_ = context;
      for (index_t s = 0; s < members_; ++s) seat_of(s).turn.store(0, std::memory_order_relaxed);
      gate_ = gate::opened(++call_, members_);
      for (index_t s = 1; s < members_; ++s) wake(seat_of(s));
      work(0);
      const gate closed = gate::of(gate_.fetch_and(~gate::members_mask));
      if (closed.inside > 0) wait_for_helpers(start);
    }
    const bool done = members_ > 1;
    busy_.store(false, std::memory_order_release);
    return done;
  }

  /// Ends the helpers; there are none in later calls.
  void dismiss() noexcept {
    dismissed_ = true;
    for (seat& s : seats_) wake(s);
    for (seat& s : seats_) {
      if (!s.helper.joinable()) continue;
      const bool here = getpid() == process_ && s.helper.get_id() != std::this_thread::get_id();
      if (here) s.helper.join();
      else s.helper.detach();  // it is the parent's of a fork(), or the one in exit()
    }
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr clock::duration brief = std::chrono::microseconds(50);     // what it takes to wake a thread
  static constexpr clock::duration patient = std::chrono::milliseconds(1);    // what lies between the ops of a program
  static constexpr clock::duration held_up = std::chrono::microseconds(500);  // more than an interrupt
  static constexpr clock::duration tolerated = std::chrono::milliseconds(8);  // two slices of the scheduler
  static constexpr clock::duration longest_rest = std::chrono::milliseconds(100);

  /// Which call is open to how many members, 0 when none is, and how many helpers are inside: one word, so that a
  /// helper comes in only while the call is open.
  struct gate {
    std::uint64_t call;
    index_t members, inside;
    static constexpr std::uint64_t members_mask = 0xffff0000;
    static gate of(std::uint64_t word) noexcept {
      return {word >> 32, static_cast<index_t>((word & members_mask) >> 16), static_cast<index_t>(word & 0xffff)};
    }
    static std::uint64_t opened(std::uint64_t call, index_t members) noexcept {
      return call << 32 | static_cast<std::uint64_t>(members) << 16;
    }
  };
  struct alignas(128) seat {        // a pair of cache lines each
    std::atomic<index_t> turn = 0;  // of its parts, how many were begun
    std::atomic<int> asleep = 0;
    std::thread helper;
  };

  seat& seat_of(index_t s) noexcept { return seats_[static_cast<std::size_t>(s)]; }

  /// Sees to seats for `wanted` threads; how many there are. Where the system gives no thread a seat stays empty, and
  /// its parts are the others'.
  index_t gather(index_t wanted) noexcept {
    if (dismissed_) return 1;
    try {
      for (auto s = std::ssize(seats_); s < wanted; ++s) {
        seat& mine = seats_.emplace_back();
        process_ = getpid();
        if (s > 0) mine.helper = std::thread([this, s, &mine] { help(s, mine); });
      }
    } catch (const std::exception&) {
    }
    return (std::min)(wanted, std::ssize(seats_));
  }

  /// A helper's life: from call to call. It spins for as long as its last sleep has shown to be worth it.
  void help(index_t s, seat& mine) noexcept {
    std::uint64_t seen = 0;
    clock::duration patience = patient;
    for (;;) {
      const clock::duration slept = wait(mine, patience, [&] { return dismissed_ || gate::of(gate_).call != seen; });
      if (dismissed_) return;
      if (slept > clock::duration::zero()) patience = slept < patient ? patient : brief;
      std::uint64_t word = gate_;
      while (s < gate::of(word).members && !gate_.compare_exchange_weak(word, word + 1)) {
      }
      seen = gate::of(word).call;
      if (s >= gate::of(word).members) continue;
      work(s);
      seat& caller = seat_of(0);  // once outside, the next call may add seats
      const gate left = gate::of(gate_.fetch_sub(1));
      if (left.inside == 1 && left.members == 0) wake(caller);
    }
  }

  /// Every part that nobody has begun, those of this seat first.
  void work(index_t own) noexcept {
    for (index_t i = 0; i < members_; ++i) {
      const index_t s = own + i < members_ ? own + i : own + i - members_;
      for (;;) {
        const index_t part = s + members_ * seat_of(s).turn.fetch_add(1, std::memory_order_relaxed);
        if (part >= parts_) break;
        run_part_(context_, part, own);
      }
    }
  }

  /// Until the parts that helpers have begun are done. That takes about as long as a part of the caller's own, unless
  /// somebody lost their core.
  void wait_for_helpers(clock::time_point start) noexcept {
    const clock::time_point ready = clock::now();
    const clock::duration worked = ready - start;
    wait(seat_of(0), std::clamp(worked, brief, patient), [&] { return gate::of(gate_).inside == 0; });
    const clock::time_point now = clock::now();
    const clock::duration waited = now - ready;
    if (waited <= (std::max)(worked, held_up)) return;
    lost_ = (std::max)(clock::duration::zero(), lost_ - (now - last_lost_) / 8) + waited;
    last_lost_ = now;
    if (lost_ <= tolerated) return;
    rest_until_ = now + (std::min)(8 * lost_, longest_rest);
    lost_ = clock::duration::zero();
  }

  /// Until done() holds, spinning for `patience`, then asleep; the time it took if it slept, else 0.
  template <class Done>
  static clock::duration wait(seat& s, clock::duration patience, Done&& done) noexcept {
    const clock::time_point start = clock::now();
    do {
      for (int i = 0; i < 16; ++i) {
        if (done()) return clock::duration::zero();
        pause();
      }
    } while (clock::now() - start < patience);
    for (;;) {
      s.asleep = 1;  // before the last look: who comes later sees it
      if (done()) break;
      s.asleep.wait(1);
    }
    s.asleep = 0;
    return clock::now() - start;
  }
  static void wake(seat& s) noexcept {
    if (s.asleep == 0) return;
    s.asleep = 0;
    s.asleep.notify_one();
  }
  static void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  alignas(128) std::atomic<std::uint64_t> gate_ = 0;  // every helper looks at it
  std::atomic<bool> dismissed_ = false;
  alignas(128) std::atomic<bool> busy_ = false;
  pid_t process_ = 0;  // whose helpers they are
  clock::time_point rest_until_, last_lost_;
  clock::duration lost_{};  // in waits of late, less an eighth of the time since
  std::deque<seat> seats_;  // grows, and never moves a seat
  // The open call; written while none is.
  std::uint64_t call_ = 0;
  index_t members_ = 0, parts_ = 0;
  part_function run_part_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
