// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include <ridgepoint/core/makers.hpp>
#include <ridgepoint/core/random.hpp>
#include <ridgepoint/graph/dataset.hpp>
#include <ridgepoint/graph/host_batch.hpp>
#include <ridgepoint/graph/several_targets.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Takes batches out of a data set, or out of a program's own values, into host memory, as numbers of type T and as
/// ids and labels.
template <std::floating_point T>
class feeder {
 public:
  /// Batches of a data set, which must outlive it; so many threads make them ahead, none if the data set cannot be
  /// gathered on several.
  /// Throws: shape_error unless a sample has as many values as the network's inputs together and as many targets;
  /// value_error for several losses unless it is several_targets of as many, for targets of the other kind, and unless
  /// the data set has samples.
  feeder(const any_dataset& data, const batch_form& form, int threads = 0)
      : feeder(data.size(), form, data.gathered() == gathering::on_one_thread ? 0 : threads) {
    data_ = &data;
    require<shape_error>(data.sample_shape().size() == form.sample_values(), "data set: a sample is ",
                         data.sample_shape(), "; the network's ", form.inputs_text(), " and must have as many values");
    require<value_error>(data.size() > 0, "data set: has no samples; must have some");
    const auto* const several = dynamic_cast<const several_targets*>(&data);
    const std::size_t losses = several == nullptr ? 1 : several->by_loss().size();
    require<value_error>(form.targets.size() == losses, "data set: the network has ", form.targets.size(),
                         " losses; must have ", losses,
                         several == nullptr ? ", or be given several_targets, or the targets of each: {a, b}"
                                            : ", as there are targets for");
    std::vector<source> sources;
    for (std::size_t l = 0; l < losses; ++l)
      sources.push_back({several == nullptr ? 0 : several->first_of(l),
                         targets_for(form.targets[l], several == nullptr ? data : *several->by_loss()[l])});
    gather_ = [sources = std::move(sources)](rows_of rows, batch& to) {
      for (std::size_t l = 0; l < sources.size(); ++l)
        if (sources[l].first == l) std::visit([&](const auto* from) { to.gather(rows, *from, l); }, sources[l].targets);
        else to.repeat_targets(sources[l].first, l);
    };
  }
  /// Batches of values that stay where they are: for each input samples one after another, and their targets for each
  /// loss.
  /// Throws: shape_error unless all hold as many samples as there are targets for; value_error for none, and for ids
  /// where numbers must be.
  feeder(std::span<const host_values<T>> x, std::span<const host_values<T>> y, const batch_form& form)
      : feeder(detail::count_samples<T>(y, form.targets), form, 0) {
    detail::check_samples<T>(x, form.inputs, size());
    gather_ = [x = std::vector(x.begin(), x.end()), y = std::vector(y.begin(), y.end())](rows_of rows, batch& to) {
      to.gather(rows, x, y);
    };
  }
  feeder(const feeder&) = delete;  // its batches are made by threads that know where it is
  feeder& operator=(const feeder&) = delete;
  ~feeder() = default;

  /// Samples in all.
  [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(order_.size()); }
  void in_order() { std::iota(order_.begin(), order_.end(), index_t{0}); }
  /// Where in the data set samples first … first + count - 1 of the current order are.
  [[nodiscard]] std::span<const index_t> rows(index_t first, index_t count) const {
    return std::span<const index_t>(order_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }
  /// Another permutation for every epoch, the same for every backend. The data set is told of the epoch.
  void shuffle(std::uint64_t seed, std::uint64_t epoch) {
    batches_.pause();
    in_order();
    if (data_ != nullptr) data_->begin_epoch(epoch);
    random_stream random(seed, epoch + shuffle_streams);
    for (std::size_t i = order_.size() - 1; i > 0; --i)
      std::swap(order_[i], order_[random.below(static_cast<std::uint32_t>(i + 1))]);
  }
  /// Samples first … first + count - 1 of the current order. Whole batches that are taken one after another are made
  /// ahead.
  /// Throws: value_error for a label that is none of the data set's classes, or an id that is no whole number, naming
  /// the row; what the data set throws.
  void take(index_t first, index_t count) {
    const bool whole = count == batch_ && first % batch_ == 0;
    taken_ = whole ? &batches_.take(first / batch_, size() / batch_)
                   : &batches_.fill_one([&](batch& to) { gather_(rows(first, count), to); });
  }
  /// Of `count` samples and their targets.
  [[nodiscard]] std::uint64_t bytes(index_t count) const { return static_cast<std::uint64_t>(count) * sample_bytes_; }
  [[nodiscard]] host_values<T> x(std::size_t input = 0) const { return taken_->x(input); }
  [[nodiscard]] std::size_t inputs() const noexcept { return inputs_; }
  [[nodiscard]] host_values<T> targets(std::size_t loss = 0) const { return taken_->targets(loss); }
  [[nodiscard]] std::size_t losses() const noexcept { return losses_; }
  /// Where in the data set the samples that were taken are.
  [[nodiscard]] std::span<const index_t> rows() const noexcept { return taken_->rows(); }
  /// Returns when no batch is being made; none will be until the next one is taken.
  void pause() { batches_.pause(); }
  /// What it took so far to make batches, and to wait for them.
  [[nodiscard]] making_times times() const { return batches_.times(); }

  /// Batches in memory where `threads` make them ahead: one that is taken, one that is ready, and those being made.
  [[nodiscard]] static constexpr std::size_t batches_held(int threads) noexcept {
    return threads == 0 ? 1 : static_cast<std::size_t>(threads) + 2;
  }

 private:
  using batch = detail::host_batch<T>;
  using rows_of = std::span<const index_t>;
  using labels_or_values = std::variant<const basic_dataset<std::int32_t>*, const basic_dataset<float>*>;
  /// Where the targets of a loss are from: those of an earlier one, `first`, or its own.
  struct source {
    std::size_t first;
    labels_or_values targets;
  };
  struct make_batch {
    const feeder* of;
    void operator()(index_t number, batch& to) const { of->gather_(of->rows(number * of->batch_, of->batch_), to); }
  };
  static constexpr std::uint64_t shuffle_streams = std::uint64_t{1} << 32;  // apart from the parameters' streams

  feeder(index_t size, const batch_form& form, int threads)
      : order_(static_cast<std::size_t>(size)),
        batch_(form.batch),
        inputs_(form.inputs.size()),
        losses_(form.targets.size()),
        sample_bytes_(form.sample_bytes<T>()),
        batches_(std::vector<batch>(batches_held(threads), batch(form)), threads, make_batch{this}) {
    in_order();
  }
  /// Throws: value_error for targets of the other kind; shape_error for another number of them.
  static labels_or_values targets_for(const batch_form::target& wanted, const any_dataset& data) {
    const auto* const labelled = dynamic_cast<const basic_dataset<std::int32_t>*>(&data);
    const auto* const valued = dynamic_cast<const basic_dataset<float>*>(&data);
    const bool labels = wanted.type == element::i32, suits = labels ? labelled != nullptr : valued != nullptr;
    require<value_error>(suits, "data set: its targets are ", labels ? "values" : "labels", "; the loss must have ",
                         labels ? "labels" : "values");
    require<shape_error>(data.target_shape().size() == wanted.each, "data set: has ", data.target_shape().size(),
                         " targets a sample; the network's output must have ", wanted.each);
    return labels ? labels_or_values(labelled) : labels_or_values(valued);
  }
  const any_dataset* data_ = nullptr;  // unless a program's own values are fed
  std::vector<index_t> order_;
  index_t batch_;
  std::size_t inputs_, losses_;
  std::uint64_t sample_bytes_;
  std::function<void(rows_of, batch&)> gather_;  // fills a batch with the samples of these rows
  const batch* taken_ = nullptr;
  detail::makers<batch, make_batch> batches_;  // the last one: its threads end first
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
