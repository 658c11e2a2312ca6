// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// One batch in host memory: samples one after another, and their labels.
struct data_batch {
  std::vector<float> x;
  std::vector<std::int32_t> labels;
  index_t size = 0;  // samples; fewer than asked for only at the end of an epoch
};

/// Gathers the batches of an epoch in a background thread, one ahead, so that the next one is ready when a step ends.
///
/// Batches come in the order of the rows, whatever the timing. Two buffers are used in turn: nothing is allocated after
/// start().
/// Example:
///   rp::loader feed(digits.train, 128);
///   feed.start(shuffled_rows);
///   while (const rp::data_batch* now = feed.next()) step(now->x.data(), now->labels.data());
///   std::cout << feed.wait_s();                            // time the steps spent waiting for data
class loader {
 public:
  /// `source` must outlive the loader. Throws: value_error if batch_size < 1.
  loader(const dataset& source, index_t batch_size) : source_(source), batch_size_(batch_size) {
    require<value_error>(batch_size >= 1, "loader: batch size is ", batch_size, "; must be >= 1");
    for (slot& s : slots_) {
      s.filled.x.resize(static_cast<std::size_t>(checked_mul(batch_size, source.sample_shape().size())));
      s.filled.labels.resize(static_cast<std::size_t>(checked_mul(batch_size, source.target_shape().size())));
    }
    worker_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
  loader(const dataset&&, index_t) = delete;
  loader(const loader&) = delete;
  loader& operator=(const loader&) = delete;
  /// Stops after the batch that is being gathered.
  ~loader() = default;

  /// Begins an epoch over `rows`, in this order; what is left of the last epoch is dropped.
  /// Throws: value_error, before anything changes, if a row is not in the data set.
  void start(std::span<const index_t> rows) {
    const index_t size = source_.size();
    for (const index_t row : rows)
      require<value_error>(row >= 0 && row < size, "loader: row is ", row, "; must be 0 to ", size - 1);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !gathering_; });
    rows_.assign(rows.begin(), rows.end());
    next_row_ = taken_ = made_ = 0;
    wait_s_ = 0;
    changed_.notify_all();
  }

  /// The next batch, valid until the next call; null at the end of the epoch. Waits if it is not ready.
  /// Throws: what gather() threw for it.
  const data_batch* next() {
    const auto begin = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    const auto batches = static_cast<std::uint64_t>(ceil_div(static_cast<index_t>(rows_.size()), batch_size_));
    if (taken_ == batches) return nullptr;
    const std::uint64_t wanted = taken_++;  // also frees the buffer of the batch before
    changed_.notify_all();
    changed_.wait(lock, [&] { return made_ > wanted; });
    wait_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const slot& ready = slots_[wanted % slots_.size()];
    if (ready.failure) std::rethrow_exception(ready.failure);
    return &ready.filled;
  }

  /// Seconds that next() has waited since start().
  [[nodiscard]] double wait_s() const noexcept { return wait_s_; }

 private:
  struct slot {
    data_batch filled;
    std::exception_ptr failure;
  };

  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    // The buffer of batch i is free again once batch i + 1 has been asked for.
    const auto free_buffer = [this] { return next_row_ < rows_.size() && made_ < taken_ + 1; };
    while (changed_.wait(lock, stop, free_buffer)) {
      slot& into = slots_[made_ % slots_.size()];
      const std::size_t count = std::min(rows_.size() - next_row_, static_cast<std::size_t>(batch_size_));
      const std::span<const index_t> rows(rows_.data() + next_row_, count);
      next_row_ += count;
      gathering_ = true;
      lock.unlock();
      into.failure = nullptr;
      into.filled.size = static_cast<index_t>(count);
      try {
        source_.gather(rows, into.filled.x.data(), into.filled.labels.data());
      } catch (...) {
        into.failure = std::current_exception();
      }
      lock.lock();
      gathering_ = false;
      ++made_;
      changed_.notify_all();
    }
  }

  const dataset& source_;
  index_t batch_size_;
  std::array<slot, 2> slots_;
  std::vector<index_t> rows_;
  std::size_t next_row_ = 0;
  std::uint64_t taken_ = 0, made_ = 0;  // batches asked for and gathered since start()
  double wait_s_ = 0;
  bool gathering_ = false;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread worker_;  // last: stops before the rest goes away
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
