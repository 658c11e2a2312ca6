// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <ridgepoint/core/element.hpp>
#include <ridgepoint/graph/fit.hpp>
#include <ridgepoint/graph/saved_regions.hpp>
#include <ridgepoint/graph/training_core.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

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

/// Up to two batches in transfer to a network during the step before.
template <std::floating_point T, trains_ahead Backend>
class staged_batches {
 public:
  explicit staged_batches(const network<T, Backend>& of)
      : columns_(of), lanes_{lane(of, columns_), lane(of, columns_)} {}

  /// Returns true if this batch is staged.
  [[nodiscard]] bool holds(std::uint64_t number) const noexcept { return lane_of(number).number == number; }
  /// Stages the feeder's current batch as batch `number`.
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
  /// Feeds the network with a staged batch.
  void take(std::uint64_t number) { lane_of(number).area.take(); }
  /// Waits for all transfers.
  void finish() {
    for (lane& each : lanes_) each.area.finish();
  }
  /// Bytes on the host and on the device.
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
template <std::floating_point T, trains_ahead Backend>
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

/// Training steps that are launched one after another before the loss of the first is checked, so that a device does
/// not wait for the host between them.
template <std::floating_point T, trains_ahead Backend>
class unchecked_steps {
 public:
  /// `most`: the largest number of steps per run.
  unchecked_steps(const network<T, Backend>& of, index_t most)
      : of_(of), before_(of.program(), {memory_region::batch, memory_region::parameters, memory_region::moments}) {
    for (const planned_loss& l : of.made().losses) states_each_ += l.states.size();
    fetched_.resize(states_each_ * static_cast<std::size_t>(most));
    tickets_.reserve(fetched_.size());
  }
  unchecked_steps(const unchecked_steps&) = delete;
  unchecked_steps& operator=(const unchecked_steps&) = delete;
  ~unchecked_steps() {
    try {
      wait();  // fetched_ must outlast the copies
    } catch (...) {
    }
  }

  /// Launches up to `count` steps, step i on the data of feed(i), then meanwhile() if all were launched, and waits for
  /// their losses. Returns the number of steps: a feed that throws ends them, and if it is the first, rethrows.
  template <class Feed, class Meanwhile>
  index_t run(index_t count, const Feed& feed, const Meanwhile& meanwhile) {
    const program<Backend>& steps = of_.program();
    const std::size_t up_to_losses = steps.plan().forward_calls();
    before_.save();
    index_t called = 0;
    for (; called < count; ++called) {
      try {
        feed(called);
      } catch (const backend_error&) {
        throw;
      } catch (...) {
        if (called == 0) throw;
        break;  // its error is reported when it is the first
      }
      steps.run(0, up_to_losses);
      steps.run(up_to_losses, steps.call_count());
      fetch_states(called);
    }
    if (called == count) meanwhile();
    wait();
    return called;
  }
  /// Result of loss l in one of the steps.
  [[nodiscard]] judgement judged(index_t step, std::size_t l) const {
    const std::size_t first = first_state(step) + l * of_.made().losses[l].states.size();
    return of_.judged(l, [&](std::size_t part) { return fetched_[first + part]; });
  }
  /// Restores the state from before the steps.
  void undo() const { before_.restore(); }

 private:
  using ticket = decltype(std::declval<const Backend&>().fetch(nullptr, nullptr, 0));

  [[nodiscard]] std::size_t first_state(index_t step) const noexcept {
    return static_cast<std::size_t>(step) * states_each_;
  }
  void fetch_states(index_t step) {
    std::size_t to = first_state(step);
    for (const planned_loss& l : of_.made().losses)
      for (const slot s : l.states)
        tickets_.push_back(of_.program().on().fetch(&fetched_[to++], of_.program().at()(s), sizeof(step_state)));
  }
  void wait() {
    while (!tickets_.empty()) {
      ticket latest = std::move(tickets_.back());
      tickets_.pop_back();  // each is waited for once, whatever wait() throws
      of_.program().on().wait(std::move(latest));
    }
  }

  const network<T, Backend>& of_;
  saved_regions<Backend> before_;
  std::size_t states_each_ = 0;      // of all losses, one per micro-batch each
  std::vector<step_state> fetched_;  // of each step
  std::vector<ticket> tickets_;
};

/// Trains a network on the batches of a feeder, for trainer::fit(): one after another.
template <std::floating_point T, backend Backend>
class training_driver {
 public:
  training_driver(training_core<T, Backend>& core, feeder<T>& batches, const fit_options&)
      : core_(core), batches_(batches) {}

  /// Shuffles the samples for an epoch.
  void begin_epoch(std::uint64_t seed, std::uint64_t epoch) { batches_.shuffle(seed, epoch); }
  /// Trains on the batches first … first + count - 1 of the epoch with count ≤ `most`; returns count ≥ 1.
  /// Throws: as training_core::learn().
  index_t train(index_t first, index_t /*most*/) {
    core_.feed(batches_, first);
    loss_ = core_.learn(batches_.rows(core_.first_of(first), core_.batch()));
    return 1;
  }
  /// Returns the loss of step i of the last train(); judged() of the core then refers to it.
  [[nodiscard]] double loss(index_t /*i*/) const noexcept { return loss_; }
  /// Waits until no batch is in transfer.
  void finish() const noexcept {}

  /// Memory that `samples` samples take in addition to the network's.
  [[nodiscard]] static std::size_t bytes(const network<T, Backend>&, index_t /*samples*/, const fit_options&) noexcept {
    return 0;
  }

 private:
  training_core<T, Backend>& core_;
  feeder<T>& batches_;
  double loss_ = 0;
};

/// On a device: trains several steps before their losses are checked, with the same results; feeds them from resident
/// samples, or with batches that arrive during the steps before.
template <std::floating_point T, backend Backend>
  requires trains_ahead<Backend>
class training_driver<T, Backend> {
 public:
  /// Throws: with resident samples, any error in one of them.
  training_driver(training_core<T, Backend>& core, feeder<T>& batches, const fit_options& fitting)
      : core_(core), batches_(batches) {
    if (fitting.look_every > 1) unchecked_.emplace(core.learning(), (std::min)(fitting.look_every, steps()));
    if (fitting.resident) resident_.emplace(core.learning(), batches, [&](index_t count) { check(count); });
    else staged_.emplace(core.learning());
  }

  void begin_epoch(std::uint64_t seed, std::uint64_t epoch) {
    batches_.shuffle(seed, epoch);
    steps_before_ += steps();
    if (resident_) resident_->begin_epoch(batches_.rows(0, batches_.size()));
  }
  index_t train(index_t first, index_t most) {
    checked_later_ = unchecked_ ? train_unchecked(first, most) : 0;
    if (checked_later_ > 0) return checked_later_;
    take(first);
    loss_ = core_.learn(batches_.rows(first * core_.batch(), core_.batch()));
    return 1;
  }
  [[nodiscard]] double loss(index_t i) { return checked_later_ == 0 ? loss_ : loss_checked_later(i); }
  void finish() {
    if (staged_) staged_->finish();
  }

  [[nodiscard]] static std::size_t bytes(const network<T, Backend>& of, index_t samples, const fit_options& fitting) {
    return fitting.resident ? resident_batches<T, Backend>::bytes(of, samples) : staged_batches<T, Backend>::bytes(of);
  }

 private:
  [[nodiscard]] index_t steps() const { return batches_.size() / core_.batch(); }
  /// Batch number that is unique within a call of fit().
  [[nodiscard]] std::uint64_t in_all(index_t number) const noexcept {
    return static_cast<std::uint64_t>(steps_before_ + number);
  }
  /// Trains up to `count` steps. Returns 0, with the state restored, if one of their losses is not finite or every loss
  /// scale is too large: the step that fails is then repeated alone, for its error.
  index_t train_unchecked(index_t first, index_t count) {
    const index_t called = unchecked_->run(
        count, [&](index_t i) { take(first + i); }, [&] { stage(first + count); });
    bool good = true;
    for (index_t i = 0; good && i < called; ++i) good = std::isfinite(loss_checked_later(i));
    if (good && core_.has_scale()) return called;
    unchecked_->undo();
    return 0;
  }
  double loss_checked_later(index_t i) {
    return core_.take_losses([&](std::size_t l) { return unchecked_->judged(i, l); });
  }
  /// Feeds the network with batch `number` of the epoch.
  void take(index_t number) {
    if (resident_) return resident_->take(number);
    if (!staged_->holds(in_all(number))) {
      prepare(number);
      staged_->send(in_all(number), batches_);
    }
    staged_->take(in_all(number));
  }
  /// Stages a batch ahead if the epoch has it. Errors in it are reported when it is taken.
  void stage(index_t number) {
    if (number >= steps() || resident_) return;
    try {
      prepare(number);
    } catch (...) {
      return;
    }
    staged_->send(in_all(number), batches_);
  }
  void prepare(index_t number) {
    batches_.take(number * core_.batch(), core_.batch());
    check(core_.batch());
  }
  void check(index_t count) const {
    for (std::size_t l = 0; l < batches_.losses(); ++l) core_.check_targets(l, batches_.targets(l), count);
  }

  training_core<T, Backend>& core_;
  feeder<T>& batches_;
  double loss_ = 0;
  index_t checked_later_ = 0;  // steps of the last train() whose losses were not checked at once; 0: a step alone
  index_t steps_before_ = 0;   // of all epochs up to this one: a batch staged for another epoch is never taken
  std::optional<staged_batches<T, Backend>> staged_;  // unless samples are resident
  std::optional<resident_batches<T, Backend>> resident_;
  std::optional<unchecked_steps<T, Backend>> unchecked_;  // unless every loss is checked at once
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
