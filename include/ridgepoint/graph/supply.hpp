// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include <ridgepoint/graph/batches_ahead.hpp>
#include <ridgepoint/graph/fit.hpp>
#include <ridgepoint/graph/learner.hpp>
#include <ridgepoint/graph/resident_batches.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// How the batches of trainer::fit() come to the network: kept in the backend's memory, sent ahead of their step, or
/// uploaded before it.
template <std::floating_point T, backend Backend>
class supply {
 public:
  /// Throws: of kept samples, what is wrong with any of them.
  supply(learner<T, Backend>& to, feeder<T>& batches, const fit_options& fitting) : to_(to), batches_(batches) {
    if constexpr (gathers_rows<Backend>)
      if (fitting.resident) kept_.emplace(to.learning(), batches, [&](index_t count) { check(count); });
    if (!kept_) ahead_.emplace(to.learning());
  }
  supply(const supply&) = delete;
  supply& operator=(const supply&) = delete;
  ~supply() = default;

  /// Shuffles.
  void begin_epoch(std::uint64_t seed, std::uint64_t epoch) {
    batches_.shuffle(seed, epoch);
    steps_before_ += steps();
    if constexpr (gathers_rows<Backend>)
      if (kept_) kept_->begin_epoch(batches_.rows(0, batches_.size()));
  }
  /// Feeds the network with batch number `number` of the epoch.
  void take(index_t number) {
    if constexpr (gathers_rows<Backend>)
      if (kept_) return kept_->take(number);
    if constexpr (stages_ahead<Backend>) {
      if (!ahead_->holds(in_all(number))) {
        take_from_feeder(number);
        check(to_.batch());
        ahead_->send(in_all(number), batches_);
      }
      ahead_->take(in_all(number));
    } else {
      take_from_feeder(number);
      to_.feed([&](std::size_t i) { return batches_.x(i); }, [&](std::size_t l) { return batches_.targets(l); });
    }
  }
  /// Sends the batch that will be taken next, if the epoch has it. What is wrong with it is said when it is taken.
  void send_ahead(index_t number) {
    if constexpr (stages_ahead<Backend>) {
      if (number >= steps() || kept_) return;
      try {
        take_from_feeder(number);
        check(to_.batch());
      } catch (...) {
        return;
      }
      ahead_->send(in_all(number), batches_);
    }
  }
  /// Returns when nothing is on its way.
  void finish() {
    if (ahead_) ahead_->finish();
  }

  /// What it takes in all, for so many samples.
  [[nodiscard]] static std::size_t bytes(const network<T, Backend>& of, index_t samples, const fit_options& fitting) {
    if constexpr (gathers_rows<Backend>)
      if (fitting.resident) return resident_batches<T, Backend>::bytes(of, samples);
    return batches_ahead<T, Backend>::bytes(of);
  }

 private:
  struct nothing {
    explicit operator bool() const noexcept { return false; }
  };
  template <class B>
  struct kept_of {
    using type = nothing;
  };
  template <gathers_rows B>
  struct kept_of<B> {
    using type = std::optional<resident_batches<T, B>>;
  };

  [[nodiscard]] index_t steps() const { return batches_.size() / to_.batch(); }
  /// No two batches of a call of fit() have the same.
  [[nodiscard]] std::uint64_t in_all(index_t number) const noexcept {
    return static_cast<std::uint64_t>(steps_before_ + number);
  }
  void take_from_feeder(index_t number) { batches_.take(number * to_.batch(), to_.batch()); }
  void check(index_t count) const {
    for (std::size_t l = 0; l < batches_.losses(); ++l) to_.check_targets(l, batches_.targets(l), count);
  }

  learner<T, Backend>& to_;
  feeder<T>& batches_;
  index_t steps_before_ = 0;  // of the epochs so far, this one included: what was sent for another epoch is never taken
  std::optional<batches_ahead<T, Backend>> ahead_;  // unless they are kept
  typename kept_of<Backend>::type kept_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
