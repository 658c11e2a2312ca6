// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <ridgepoint/core/element.hpp>
#include <ridgepoint/core/prefetcher.hpp>
#include <ridgepoint/graph/fit.hpp>
#include <ridgepoint/graph/network.hpp>
#include <ridgepoint/graph/training_core.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Up to two batches in transfer to a network during the step before. Empty on a backend that does not stage ahead.
template <std::floating_point T, backend Backend>
class batches_ahead {
 public:
  explicit batches_ahead(const network<T, Backend>&) {}

  /// Returns true if this batch is staged.
  [[nodiscard]] bool holds(std::uint64_t) const noexcept { return false; }
  /// Stages the feeder's current batch as batch `number`.
  void send(std::uint64_t, const feeder<T>&) const noexcept {}
  /// Feeds the network with a staged batch.
  void take(std::uint64_t) const noexcept {}
  /// Waits for all transfers.
  void finish() const noexcept {}
  /// Bytes on the host and on the device.
  [[nodiscard]] static std::size_t bytes(const network<T, Backend>&) noexcept { return 0; }
};

/// Source and destination of one column of a batch: inputs first, then losses.
struct fed_column {
  slot to;
  element type;
  std::size_t offset, bytes;
};
/// The columns of a batch, one after another, aligned for the backend's memory, and their total bytes.
struct fed_columns {
  std::vector<fed_column> all;
  std::size_t bytes = 0;

  template <std::floating_point T, backend Backend>
  explicit fed_columns(const network<T, Backend>& of) {
    const auto add = [&](slot to, element type, index_t count) {
      const std::size_t size = static_cast<std::size_t>(count) * bytes_of(type);
      all.push_back({to, type, bytes, size});
      bytes += (size + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
    };
    const ridgepoint::plan& planned = of.program().plan();
    const batch_form& form = of.form();
    for (std::size_t i = 0; i < form.inputs.size(); ++i)
      add(of.made().inputs[i], planned[of.made().inputs[i]].type, form.batch * form.inputs[i].sample.size());
    for (std::size_t l = 0; l < form.targets.size(); ++l)
      add(of.made().losses[l].targets, planned[of.made().losses[l].targets].type, form.batch * form.targets[l].each);
  }
  /// Returns the feeder's current values for column c.
  template <std::floating_point T>
  [[nodiscard]] static host_values<T> of(const feeder<T>& batches, std::size_t c) {
    return c < batches.inputs() ? batches.x(c) : batches.targets(c - batches.inputs());
  }
};

template <std::floating_point T, backend Backend>
  requires stages_ahead<Backend>
class batches_ahead<T, Backend> {
 public:
  explicit batches_ahead(const network<T, Backend>& of)
      : columns_(of), lanes_{lane(of, columns_), lane(of, columns_)} {}

  [[nodiscard]] bool holds(std::uint64_t number) const noexcept { return lane_of(number).number == number; }
  void send(std::uint64_t number, const feeder<T>& batches) {
    lane& free = lane_of(number);
    free.number = none;
    auto* const to = static_cast<std::byte*>(free.area.open());
    for (std::size_t c = 0; c < columns_.all.size(); ++c) {
      const host_values<T> from = fed_columns::of(batches, c);
      convert_elements(to + columns_.all[c].offset, columns_.all[c].type, from.data(), from.type(), from.size());
    }
    free.area.send();
    free.number = number;
  }
  void take(std::uint64_t number) { lane_of(number).area.take(); }
  void finish() {
    for (lane& each : lanes_) each.area.finish();
  }
  [[nodiscard]] static std::size_t bytes(const network<T, Backend>& of) { return 2 * 2 * fed_columns(of).bytes; }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  using staging = decltype(std::declval<const Backend&>().stage(std::span<const staged_part>()));
  /// A staging area; one lane takes the batches with even numbers, the other those with odd ones.
  struct lane {
    staging area;
    std::uint64_t number = none;

    lane(const network<T, Backend>& of, const fed_columns& columns)
        : area(of.program().on().stage(parts(of, columns))) {}
    [[nodiscard]] static std::vector<staged_part> parts(const network<T, Backend>& of, const fed_columns& columns) {
      std::vector<staged_part> all;
      for (const fed_column& c : columns.all) all.push_back({of.program().at()(c.to), c.offset, c.bytes});
      return all;
    }
  };
  [[nodiscard]] lane& lane_of(std::uint64_t number) noexcept { return lanes_[number % 2]; }
  [[nodiscard]] const lane& lane_of(std::uint64_t number) const noexcept { return lanes_[number % 2]; }

  fed_columns columns_;
  std::array<lane, 2> lanes_;
};

/// All samples of a feeder, resident in the backend's memory; batches are gathered there, and the host uploads only the
/// order of each epoch.
template <std::floating_point T, backend Backend>
  requires gathers_rows<Backend>
class resident_batches {
 public:
  /// Uploads all samples; check(count) validates each batch taken.
  /// Throws: as feeder::take() and check(); any exception of the backend if they do not fit.
  template <class Check>
  resident_batches(const network<T, Backend>& of, feeder<T>& batches, const Check& check)
      : of_(of), columns_(of), order_(of.program().on().allocate(bytes_of_order(batches.size()))) {
    const index_t batch = of.made().batch;
    const Backend& on = of.program().on();
    for (const fed_column& c : columns_.all) held_.push_back(on.allocate(row_bytes(c) * count_of(batches)));
    batches.in_order();
    std::vector<std::byte> converted(columns_.bytes);
    for (index_t first = 0; first < batches.size(); first += batch) {
      const index_t count = (std::min)(batch, batches.size() - first);
      batches.take(first, count);
      check(count);
      for (std::size_t c = 0; c < held_.size(); ++c) {
        const fed_column& column = columns_.all[c];
        const host_values<T> from = fed_columns::of(batches, c);
        convert_elements(converted.data(), column.type, from.data(), from.type(), from.size());
        on.upload(static_cast<std::byte*>(held_[c].data()) + static_cast<std::size_t>(first) * row_bytes(column),
                  converted.data(), static_cast<std::size_t>(count) * row_bytes(column));
      }
    }
  }
  /// Memory of `samples` samples.
  [[nodiscard]] static std::size_t bytes(const network<T, Backend>& of, index_t samples) {
    std::size_t all = bytes_of_order(samples);
    for (const fed_column& c : fed_columns(of).all) all += row_bytes(of, c) * static_cast<std::size_t>(samples);
    return all;
  }
  /// Sets the order of the samples.
  void begin_epoch(std::span<const index_t> order) const {
    of_.program().on().upload(order_.data(), order.data(), order.size_bytes());
  }
  /// Feeds the network with batch `number` of the order.
  void take(index_t number) const {
    const index_t batch = of_.made().batch;
    for (std::size_t c = 0; c < held_.size(); ++c)
      of_.program().on().gather_rows(of_.program().at()(columns_.all[c].to), held_[c].data(),
                                     row_bytes(columns_.all[c]),
                                     static_cast<const index_t*>(order_.data()) + number * batch, batch);
  }

 private:
  [[nodiscard]] static std::size_t count_of(const feeder<T>& batches) {
    return static_cast<std::size_t>(batches.size());
  }
  [[nodiscard]] static std::size_t bytes_of_order(index_t samples) {
    return static_cast<std::size_t>(checked_mul(samples, sizeof(index_t)));
  }
  [[nodiscard]] static std::size_t row_bytes(const network<T, Backend>& of, const fed_column& c) {
    return c.bytes / static_cast<std::size_t>(of.made().batch);
  }
  [[nodiscard]] std::size_t row_bytes(const fed_column& c) const { return row_bytes(of_, c); }

  const network<T, Backend>& of_;
  fed_columns columns_;
  typename Backend::buffer order_;
  std::vector<typename Backend::buffer> held_;  // by column
};

/// Supplies the batches of trainer::fit() to the network: from resident samples, staged ahead, or uploaded before each
/// step.
template <std::floating_point T, backend Backend>
class batch_source {
 public:
  /// Throws: with resident samples, any error in one of them.
  batch_source(training_core<T, Backend>& to, feeder<T>& batches, const fit_options& fitting)
      : to_(to), batches_(batches) {
    if constexpr (gathers_rows<Backend>)
      if (fitting.resident) kept_.emplace(to.learning(), batches, [&](index_t count) { check(count); });
    if (!kept_) ahead_.emplace(to.learning());
  }
  batch_source(const batch_source&) = delete;
  batch_source& operator=(const batch_source&) = delete;
  ~batch_source() = default;

  void begin_epoch(std::uint64_t seed, std::uint64_t epoch) {
    batches_.shuffle(seed, epoch);
    steps_before_ += steps();
    if constexpr (gathers_rows<Backend>)
      if (kept_) kept_->begin_epoch(batches_.rows(0, batches_.size()));
  }
  /// Feeds the network with batch `number` of the epoch.
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
  /// Stages the next batch if the epoch has one. Errors in it are reported when it is taken.
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
  /// Waits for all transfers.
  void finish() {
    if (ahead_) ahead_->finish();
  }

  /// Memory that `samples` samples take.
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
  /// Batch number that is unique within a call of fit().
  [[nodiscard]] std::uint64_t in_all(index_t number) const noexcept {
    return static_cast<std::uint64_t>(steps_before_ + number);
  }
  void take_from_feeder(index_t number) { batches_.take(number * to_.batch(), to_.batch()); }
  void check(index_t count) const {
    for (std::size_t l = 0; l < batches_.losses(); ++l) to_.check_targets(l, batches_.targets(l), count);
  }

  training_core<T, Backend>& to_;
  feeder<T>& batches_;
  index_t steps_before_ = 0;  // of all epochs up to this one: a batch staged for another epoch is never taken
  std::optional<batches_ahead<T, Backend>> ahead_;  // unless samples are resident
  typename kept_of<Backend>::type kept_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
