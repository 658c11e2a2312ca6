// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <iterator>
#include <string_view>
#include <thread>

#include <sched.h>
#include <unistd.h>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/scope_exit.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A caller and its helper threads, which run the parts of one call at a time.
///
/// Seat s (0: the caller) is offered parts s, s + members, s + 2·members, …, so that on an idle machine a thread finds
/// in its caches the data it wrote in the previous call. A seat without parts left takes parts of the others. The
/// caller waits for parts that a helper has begun, never for a helper that has not started: one that sleeps, or that
/// another process keeps off its core, only reduces the help. Waiting spins briefly, then sleeps. A part that was begun
/// and then kept off its core does delay the caller. If such delays exceed an eighth of the time, helpers rest for
/// eight times as long as was waited, at most 100 ms.
///
/// After fork() the child has no helpers and computes alone.
class team {
 public:
  using part_function = void (*)(void* context, index_t part, index_t seat);  // must not throw

  team() = default;
  team(const team&) = delete;
  team& operator=(const team&) = delete;
  ~team() { dismiss(); }

  /// Calls run_part(context, part, seat) once for each part = 0 … parts-1, on at most `threads` threads, each with its
  /// own seat below that number. Returns false, and does nothing, if no helper is available: another call has the team
  /// (of another thread, or an enclosing call), or helpers rest.
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

  /// Ends the helpers; later calls have none.
  void dismiss() noexcept {
    dismissed_ = true;
    for (seat& s : seats_) wake(s);
    for (seat& s : seats_) {
      if (!s.helper.joinable()) continue;
      const bool here = getpid() == process_ && s.helper.get_id() != std::this_thread::get_id();
      if (here) s.helper.join();
      else s.helper.detach();  // it belongs to the parent of a fork(), or is the thread in exit()
    }
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr clock::duration brief = std::chrono::microseconds(50);     // the time to wake a thread
  static constexpr clock::duration patient = std::chrono::milliseconds(1);    // the time between the ops of a program
  static constexpr clock::duration held_up = std::chrono::microseconds(500);  // more than an interrupt
  static constexpr clock::duration tolerated = std::chrono::milliseconds(8);  // two slices of the scheduler
  static constexpr clock::duration longest_rest = std::chrono::milliseconds(100);

  /// Number of the open call, its members (0: none is open), and the helpers inside: one word, so that a helper enters
  /// only while the call is open.
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
    std::atomic<index_t> turn = 0;  // number of its parts begun
    std::atomic<int> asleep = 0;
    std::thread helper;
  };

  seat& seat_of(index_t s) noexcept { return seats_[static_cast<std::size_t>(s)]; }

  /// Creates seats for `wanted` threads. Returns their number. A seat without a thread, where the system starts none,
  /// stays empty, and others take its parts.
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

  /// Runs a helper from call to call. It spins as long as its last sleep has shown to be worthwhile.
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
      seat& caller = seat_of(0);  // after leaving, the next call may add seats
      const gate left = gate::of(gate_.fetch_sub(1));
      if (left.inside == 1 && left.members == 0) wake(caller);
    }
  }

  /// Runs every part not begun yet, first the parts of this seat.
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

  /// Waits until the parts that helpers have begun are done. That takes about as long as a part of the caller's own,
  /// unless a helper lost its core.
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

  /// Waits until done() holds: spins for `patience`, then sleeps. Returns the time it took if it slept, else 0.
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
      s.asleep = 1;  // before the last check: a later wake() sees it
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

  alignas(128) std::atomic<std::uint64_t> gate_ = 0;  // read by every helper
  std::atomic<bool> dismissed_ = false;
  alignas(128) std::atomic<bool> busy_ = false;
  pid_t process_ = 0;  // the process that started the helpers
  clock::time_point rest_until_, last_lost_;
  clock::duration lost_{};  // in recent waits, less an eighth of the time since
  std::deque<seat> seats_;  // grows, and never moves a seat
  // The open call; written only while none is open.
  std::uint64_t call_ = 0;
  index_t members_ = 0, parts_ = 0;
  part_function run_part_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// Calls take(core) for each core in this process's affinity mask, on a machine of any size. Returns false if the
/// system does not report it.
template <class Take>
bool for_each_allowed_core(const Take& take) noexcept {
  constexpr int most = 1 << 20;
  for (int cores = CPU_SETSIZE; cores <= most; cores *= 2) {  // EINVAL: the kernel's mask is larger
    cpu_set_t* const allowed = CPU_ALLOC(static_cast<std::size_t>(cores));
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(cores));
    const scope_exit free([=] { CPU_FREE(allowed); });
    if (allowed == nullptr) return false;
    CPU_ZERO_S(bytes, allowed);
    if (sched_getaffinity(0, bytes, allowed) == 0) {
      for (int core = 0; core < cores; ++core)
        if (CPU_ISSET_S(static_cast<std::size_t>(core), bytes, allowed)) take(core);
      return true;
    }
    if (errno != EINVAL) return false;
  }
  return false;
}
/// Counts these cores; 0 if the system does not report them.
[[nodiscard]] inline int count_allowed_cores() noexcept {
  int count = 0;
  return for_each_allowed_core([&](int) { ++count; }) ? count : 0;
}
}  // namespace detail

/// Returns the number of cores this process may use, from its affinity at the first call; `threads = 0` means this
/// number. Counts all online cores if the system does not report an affinity.
[[nodiscard]] inline int available_threads() noexcept {
  static const int count = [] {
    const int allowed = detail::count_allowed_cores();
    return allowed > 0 ? allowed : static_cast<int>(std::clamp(sysconf(_SC_NPROCESSORS_ONLN), 1L, 1024L));
  }();
  return count;
}

/// Throws: value_error unless 0 <= threads <= 1024.
constexpr void check_thread_count(std::string_view who, int threads) {
  require<value_error>(threads >= 0 && threads <= 1024, who, ": threads is ", threads, "; must be 0 (all) to 1024");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
