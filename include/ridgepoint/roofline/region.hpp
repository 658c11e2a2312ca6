// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/roofline/profile.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Collects the reports of regions: your own kernels, as rows of a profile. Thread-safe.
class recorder {
 public:
  recorder() { reset(); }
  /// Removes all rows and restarts the wall clock.
  void reset() {
    const lock held(busy_);
    rows_.clear();
    rows_.reserve(64);
    start_ = clock::now();
    start_ticks_ = ticks();
  }
  /// Returns one row per name: summed receipts and times of all its executions; the shape is their number. step_s is
  /// the wall time since the last reset, so that with one thread rows and residual add up to it.
  [[nodiscard]] ridgepoint::profile profile(std::string title, std::string backend = "yours", int threads = 1) const {
    const lock held(busy_);
    const double wall_s = std::chrono::duration<double>(clock::now() - start_).count();
    const double tick_s = wall_s / static_cast<double>(ticks() - start_ticks_);
    ridgepoint::profile p{
        .title = std::move(title), .backend = std::move(backend), .threads = threads, .rows = {}, .step_s = wall_s};
    for (const row& r : rows_)
      p.rows.push_back({.layer = r.name,
                        .pass = pass::forward,
                        .shape = concat(r.count, r.count == 1 ? " call" : " calls"),
                        .receipt = r.receipt,
                        .elapsed_s = static_cast<double>(r.elapsed_ticks) * tick_s,
                        .footprint_bytes = r.receipt.bytes.total() / r.count});
    return p;
  }

  static std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return static_cast<std::uint64_t>(clock::now().time_since_epoch().count());
#endif
  }
  /// Adds one execution. `name` must outlive the recorder: a string literal. Allocates only for more than 64 names.
  void add(const char* name, const work& receipt, std::uint64_t elapsed_ticks) {
    const lock held(busy_);
    const auto find = [this](auto same) { return std::find_if(rows_.begin(), rows_.end(), same); };
    auto mine = find([&](const row& r) { return r.name == name; });  // nearly always; far cheaper than comparing text
    if (mine == rows_.end()) mine = find([&](const row& r) { return std::strcmp(r.name, name) == 0; });
    if (mine == rows_.end()) mine = rows_.insert(mine, {name, {}, 0, 0});
    mine->receipt += receipt;
    mine->elapsed_ticks += elapsed_ticks;
    ++mine->count;
  }

 private:
  class lock {
   public:
    explicit lock(std::atomic_flag& busy) noexcept : busy_(busy) {
      while (busy_.test_and_set(std::memory_order_acquire)) {
      }
    }
    lock(const lock&) = delete;
    lock& operator=(const lock&) = delete;
    ~lock() { busy_.clear(std::memory_order_release); }

   private:
    std::atomic_flag& busy_;
  };
  using clock = std::chrono::steady_clock;
  struct row {
    const char* name;
    work receipt;
    std::uint64_t elapsed_ticks, count;
  };
  std::vector<row> rows_;
  mutable std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  clock::time_point start_;
  std::uint64_t start_ticks_ = 0;
};

/// Scope of your own kernel, timed from construction to destruction and reported with its declared work. Costs a few
/// tens of nanoseconds; nothing if RIDGEPOINT_NO_REGIONS is defined before this header is included.
///
/// Example:
///   rp::recorder recorder;
///   {
///     rp::region r(recorder, "my kernel", {.flop = 2 * n, .bytes = {.inputs = 8 * n}});
///     my_kernel();
///   }
///   std::cout << rp::table(recorder.profile("mine"), host);
template <bool On>
class basic_region {
 public:
  basic_region(recorder& to, const char* name, const work& receipt) noexcept
      : to_(to), name_(name), receipt_(receipt), start_(recorder::ticks()) {}
  ~basic_region() { to_.add(name_, receipt_, recorder::ticks() - start_); }
  basic_region(const basic_region&) = delete;
  basic_region& operator=(const basic_region&) = delete;

 private:
  recorder& to_;
  const char* name_;
  work receipt_;
  std::uint64_t start_;
};
template <>
class basic_region<false> {
 public:
  constexpr basic_region(recorder&, const char*, const work&) noexcept {}
  ~basic_region() {}  // non-trivial, so that an unused region causes no warning
  basic_region(const basic_region&) = delete;
  basic_region& operator=(const basic_region&) = delete;
};

#if defined(RIDGEPOINT_NO_REGIONS)
using region = basic_region<false>;
#else
using region = basic_region<true>;
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
