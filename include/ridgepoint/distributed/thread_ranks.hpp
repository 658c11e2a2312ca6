// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/distributed/communicator.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// State shared by ranks that are threads of one process: the calls that some ranks have made and others have not. The
/// last rank to make a call computes its result for all.
class rank_group {
 public:
  /// `timeout_s`: longest wait for another rank; 0: no limit.
  rank_group(int size, double timeout_s) : size_(size), timeout_s_(timeout_s), made_(static_cast<std::size_t>(size)) {}

  [[nodiscard]] int size() const noexcept { return size_; }

  /// The data of one call, by rank.
  using buffers = std::vector<std::span<std::byte>>;
  /// Makes the next call of a rank; `what` is equal on all ranks. The last rank runs finish(data of all ranks).
  template <class Finish>
  collective enter(int rank, const std::string& what, std::span<std::byte> data, const Finish& finish) {
    const std::lock_guard lock(mutex_);
    check_health();
    const index_t number = made_[static_cast<std::size_t>(rank)]++;
    call& c = calls_[number];
    if (c.arrived == 0) c = call{.what = what, .data = buffers(made_.size()), .start = times(made_.size())};
    if (c.what != what)
      fail(concat("threads: call ", number, " is ", what, " on rank ", rank, " and ", c.what,
                  " on another; must be equal"));
    for (int other = 0; other < size_; ++other)
      if (ended_.contains(other) && made_[static_cast<std::size_t>(other)] <= number) fail(ended_text(other, what));
    c.data[static_cast<std::size_t>(rank)] = data;
    c.start[static_cast<std::size_t>(rank)] = clock::now();
    if (++c.arrived < size_) return {number};
    finish(c.data);
    c.end = clock::now();
    c.done = true;
    changed_.notify_all();
    return {number};
  }
  /// Waits until all ranks have made a call; returns the seconds since this rank made it.
  double wait(int rank, collective started) {
    std::unique_lock lock(mutex_);
    const auto found = calls_.find(started.number);
    require<value_error>(found != calls_.end(), "threads: no call ", started.number, " is in progress; must be");
    call& c = found->second;
    const auto ready = [&] { return c.done || !failure_.empty(); };
    if (timeout_s_ <= 0) changed_.wait(lock, ready);
    else if (!changed_.wait_for(lock, std::chrono::duration<double>(timeout_s_), ready))
      fail(late_text(started.number, c.what));
    if (!c.done) check_health();
    const double elapsed_s = std::chrono::duration<double>(c.end - c.start[static_cast<std::size_t>(rank)]).count();
    if (++c.left == size_) calls_.erase(found);
    return elapsed_s;
  }
  /// Notes that the body of a rank has ended, with an exception's message or "".
  void end(int rank, std::string_view failure) {
    const std::lock_guard lock(mutex_);
    ended_.insert({rank, failure.empty() ? "has ended" : concat("failed: ", failure)});
    for (const auto& [number, c] : calls_)
      if (!c.done && number >= made_[static_cast<std::size_t>(rank)] && failure_.empty())
        failure_ = ended_text(rank, c.what);
    changed_.notify_all();
  }

 private:
  using clock = std::chrono::steady_clock;
  using times = std::vector<clock::time_point>;
  struct call {
    std::string what;
    buffers data;
    times start;
    clock::time_point end = {};
    int arrived = 0, left = 0;
    bool done = false;
  };

  void check_health() const { require<communication_error>(failure_.empty(), failure_); }
  [[noreturn]] void fail(const std::string& message) {
    if (failure_.empty()) failure_ = message;
    changed_.notify_all();
    throw communication_error(failure_);
  }
  [[nodiscard]] std::string ended_text(int rank, const std::string& waiting) const {
    return concat("threads: rank ", rank, ' ', ended_.at(rank), "; others wait for its ", waiting);
  }
  [[nodiscard]] std::string late_text(index_t number, const std::string& what) const {
    int late = 0;
    while (made_[static_cast<std::size_t>(late)] > number) ++late;
    return concat("threads: ", what, ", call ", number, ": rank ", late, " has not made it within ", timeout_s_,
                  " s; it has made ", made_[static_cast<std::size_t>(late)], " calls");
  }

  int size_;
  double timeout_s_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<index_t> made_;         // calls, by rank
  std::map<index_t, call> calls_;     // in progress, by number
  std::map<int, std::string> ended_;  // ranks, and why
  std::string failure_;               // of all ranks, once one has failed
};

}  // namespace detail

/// The communicator of a rank that is a thread of this process: for tests, and to find data races in programs of
/// several ranks. Created by run_ranks().
class thread_communicator {
 public:
  thread_communicator(std::shared_ptr<detail::rank_group> group, int rank) : group_(std::move(group)), rank_(rank) {}

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return group_->size(); }
  [[nodiscard]] std::string name() const { return "threads"; }

  template <std::floating_point T>
  collective start_all_reduce(std::span<T> values) {
    return group_->enter(rank_, concat("all_reduce of ", values.size(), sizeof(T) == 4 ? " floats" : " doubles"),
                         std::as_writable_bytes(values), [](const detail::rank_group::buffers& data) {
                           std::vector<const T*> of_ranks;
                           for (const auto& each : data) of_ranks.push_back(reinterpret_cast<const T*>(each.data()));
                           std::vector<T> scratch(1024 * data.size());
                           const std::span first(reinterpret_cast<T*>(data[0].data()), data[0].size() / sizeof(T));
                           detail::sum_over_ranks<T>(of_ranks, first, scratch);
                           for (std::size_t r = 1; r < data.size(); ++r) std::ranges::copy(data[0], data[r].begin());
                         });
  }
  double wait(collective started) { return group_->wait(rank_, started); }
  void all_gather(std::span<const std::byte> own, std::span<std::byte> all) {
    std::ranges::copy(own, all.begin() + static_cast<std::ptrdiff_t>(own.size()) * rank_);
    complete(concat("all_gather of ", own.size(), " bytes"), all,
             [bytes = own.size()](const detail::rank_group::buffers& data) {
               for (std::size_t to = 0; to < data.size(); ++to)
                 for (std::size_t from = 0; from < data.size(); ++from)
                   if (from != to)
                     std::ranges::copy(data[from].subspan(from * bytes, bytes),
                                       data[to].subspan(from * bytes, bytes).begin());
             });
  }
  void broadcast(std::span<std::byte> data, int root) {
    complete(concat("broadcast of ", data.size(), " bytes from rank ", root), data,
             [root](const detail::rank_group::buffers& all) {
               for (std::size_t r = 0; r < all.size(); ++r)
                 if (static_cast<int>(r) != root)
                   std::ranges::copy(all[static_cast<std::size_t>(root)], all[r].begin());
             });
  }
  void barrier() {
    complete("barrier", {}, [](const detail::rank_group::buffers&) {});
  }

 private:
  template <class Finish>
  void complete(const std::string& what, std::span<std::byte> data, const Finish& finish) {
    wait(group_->enter(rank_, what, data, finish));
  }

  std::shared_ptr<detail::rank_group> group_;
  int rank_;
};

/// Runs body(thread_communicator&) on `ranks` threads, and waits for all. `timeout_s`: longest wait of a rank for
/// another; 0: no limit.
/// Throws: value_error for less than 1 rank; the first exception of a body; the other ranks' calls then throw
/// communication_error.
/// Example:
///   rp::run_ranks(4, [&](rp::thread_communicator& with) {
///     auto trainer = net.train<float>(rp::distributed(rp::cpu(1), with), logits, loss, nn::adam{}, {.batch = 128});
///   });
template <class Body>
void run_ranks(int ranks, const Body& body, double timeout_s = 0) {
  require<value_error>(ranks >= 1, "run_ranks: ranks is ", ranks, "; must be >= 1");
  const auto group = std::make_shared<detail::rank_group>(ranks, timeout_s);
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&](int rank) {
    std::string failure;
    try {
      thread_communicator with(group, rank);
      body(with);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
      try {
        throw;
      } catch (const std::exception& e) {
        failure = e.what();
      } catch (...) {
        failure = "exception";
      }
    }
    group->end(rank, failure);
  };
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(run, rank);
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
