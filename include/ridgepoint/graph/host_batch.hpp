// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <ridgepoint/core/element.hpp>
#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/prefetcher.hpp>
#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/shape.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Values for an input or a loss of a network, in the caller's memory: numbers of type T, or ids and labels as
/// std::int32_t. Constructed from contiguous ranges: vectors, arrays, spans.
/// Example:
///   const std::vector<std::int32_t> labels = {0, 2};
///   const rp::host_values<float> y = labels;                 // y.type() is rp::element::i32
template <std::floating_point T>
class host_values {
 public:
  template <class Range>
    requires(std::convertible_to<const Range&, std::span<const T>>)
  host_values(const Range& numbers) : host_values(std::span<const T>(numbers)) {}
  template <class Range>
    requires(std::convertible_to<const Range&, std::span<const std::int32_t>>)
  host_values(const Range& ids) : host_values(std::span<const std::int32_t>(ids)) {}
  host_values(std::span<const T> numbers) noexcept : data_(numbers.data()), size_(numbers.size()) {}
  host_values(std::span<const std::int32_t> ids) noexcept : data_(ids.data()), size_(ids.size()), type_(element::i32) {}

  [[nodiscard]] element type() const noexcept { return type_; }
  [[nodiscard]] const void* data() const noexcept { return data_; }
  [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(size_); }
  /// Requires: values of this type.
  [[nodiscard]] std::span<const T> numbers() const noexcept { return {static_cast<const T*>(data_), size_}; }
  [[nodiscard]] std::span<const std::int32_t> ids() const noexcept {
    return {static_cast<const std::int32_t*>(data_), size_};
  }
  /// Returns `count` values, from `first` on.
  [[nodiscard]] host_values part(index_t first, index_t count) const noexcept {
    const auto from = static_cast<std::size_t>(first), n = static_cast<std::size_t>(count);
    return type_ == element::i32 ? host_values(ids().subspan(from, n)) : host_values(numbers().subspan(from, n));
  }

  /// Throws: value_error, prefixed with `what`, unless the values are ids if `wanted` is i32, and numbers otherwise.
  template <class... What>
  void check_suits(element wanted, const What&... what) const {
    const auto say = [](element type) {
      return type == element::i32 ? "std::int32_t" : std::same_as<T, float> ? "float" : "double";
    };
    require<value_error>((wanted == element::i32) == (type_ == element::i32), what..., " is given values of ",
                         say(type_), "; must be ", say(wanted));
  }

 private:
  const void* data_;
  std::size_t size_;
  element type_ = element_of<T>;
};

/// Contents of a batch of a network: inputs, their extents for one sample, and the targets of each loss.
struct batch_form {
  struct input {
    shape sample;
    element type = element::stored;  // numbers, or i32: ids
  };
  struct target {
    element type = element::i32;  // labels, or stored: numbers
    index_t each = 1;             // per sample
    index_t classes = 0;          // labels are less than this
  };
  std::vector<input> inputs;
  std::vector<target> targets;  // by loss
  index_t batch = 1;

  /// Values of one sample over all inputs.
  [[nodiscard]] index_t sample_values() const {
    index_t sum = 0;
    for (const input& each : inputs) sum += each.sample.size();
    return sum;
  }
  /// "input is 28x28x1", "inputs are 2 and 3"
  [[nodiscard]] std::string inputs_text() const {
    std::string text = inputs.size() == 1 ? "input is " : "inputs are ";
    for (const input& each : inputs) text += concat(&each == inputs.data() ? "" : " and ", each.sample);
    return text;
  }
  /// Bytes of one sample and its targets in memory, with numbers of type T.
  template <std::floating_point T>
  [[nodiscard]] std::uint64_t sample_bytes() const {
    const auto bytes = [](element type) { return type == element::i32 ? sizeof(std::int32_t) : sizeof(T); };
    std::uint64_t sum = 0;
    for (const input& each : inputs) sum += static_cast<std::uint64_t>(each.sample.size()) * bytes(each.type);
    for (const target& each : targets) sum += static_cast<std::uint64_t>(each.each) * bytes(each.type);
    return sum;
  }
};

namespace detail {
/// Throws: shape_error unless there are values for each input and all hold `count` samples; value_error for ids in
/// place of numbers, or numbers in place of ids.
template <std::floating_point T>
void check_samples(std::span<const host_values<T>> x, std::span<const batch_form::input> inputs, index_t count) {
  require<shape_error>(x.size() == inputs.size(), "samples: for ", x.size(), " inputs; the network has ",
                       inputs.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i].check_suits(inputs[i].type, "samples: input ", i);
    const shape& sample = inputs[i].sample;
    require<shape_error>(x[i].size() == checked_mul(count, sample.size()), "samples: ", x[i].size(),
                         " values for input ", i, "; must be ", count * sample.size(), ", ", count, " samples of ",
                         sample);
  }
}
/// Returns the number of samples that have targets.
/// Throws: shape_error unless every loss has targets for the same number of whole samples; value_error if there are
/// none, for ids in place of numbers, or numbers in place of ids.
template <std::floating_point T>
[[nodiscard]] index_t count_samples(std::span<const host_values<T>> y, std::span<const batch_form::target> targets) {
  require<shape_error>(y.size() == targets.size(), "samples: targets for ", y.size(), " losses; the network has ",
                       targets.size());
  const index_t count = y[0].size() / targets[0].each;
  for (std::size_t l = 0; l < y.size(); ++l) {
    y[l].check_suits(targets[l].type, "samples: the loss");
    const index_t each = targets[l].each;
    require<shape_error>(y[l].size() % each == 0, "samples: ", y[l].size(), " targets; must be a multiple of ", each,
                         ", the targets per sample");
    require<shape_error>(y[l].size() / each == count, "samples: targets of loss ", l, " for ", y[l].size() / each,
                         " samples; must be for ", count, ", as for loss 0");
  }
  require<value_error>(count > 0, "samples: no samples; must be some");
  return count;
}
}  // namespace detail

/// Values for all inputs, or all losses, of a network: host_values for a single one, a list, or a span. Refers to the
/// values; use it only as a parameter of a call that ends before they do.
/// Example:
///   trainer.step(x, labels);
///   trainer.step({left, right}, {labels, pixels});
template <std::floating_point T>
class host_columns {
 public:
  template <class Values>
    requires(std::convertible_to<const Values&, host_values<T>>)
  host_columns(const Values& only) : only_(only) {}
  host_columns(std::initializer_list<host_values<T>> each) noexcept
      : host_columns(std::span<const host_values<T>>(each.begin(), each.size())) {}
  host_columns(std::span<const host_values<T>> each) noexcept
      : only_(std::span<const T>()), each_(each), listed_(true) {}

  [[nodiscard]] std::span<const host_values<T>> all() const noexcept { return listed_ ? each_ : std::span(&only_, 1); }

 private:
  host_values<T> only_;
  std::span<const host_values<T>> each_ = {};
  bool listed_ = false;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A batch in host memory, of up to as many samples as its form says: the values of each input and each loss.
template <std::floating_point T>
class host_batch {
 public:
  explicit host_batch(const batch_form& form) {
    for (const batch_form::input& each : form.inputs) x_.emplace_back(each.sample.size(), each.type, form.batch);
    for (const batch_form::target& each : form.targets) targets_.emplace_back(each.each, each.type, form.batch);
  }

  /// Rows of the data set that it holds.
  [[nodiscard]] std::span<const index_t> rows() const noexcept { return rows_; }
  [[nodiscard]] host_values<T> x(std::size_t input) const { return filled(x_[input]); }
  [[nodiscard]] host_values<T> targets(std::size_t loss) const { return filled(targets_[loss]); }

  /// Fills it with these rows of a data set, whose labels are the targets of a loss.
  void gather(std::span<const index_t> rows, const basic_dataset<std::int32_t>& data, std::size_t loss) {
    rows_ = rows;
    float* const x = samples();
    data.gather(rows, x, targets_[loss].ids.data());
    take_samples(x);
    check_labels(loss, data.classes(), data.ignored_label());
  }
  /// For a data set with values.
  void gather(std::span<const index_t> rows, const basic_dataset<float>& data, std::size_t loss) {
    rows_ = rows;
    float *const x = samples(), *const y = floats_of(targets_[loss]);
    data.gather(rows, x, y);
    take_samples(x);
    take_floats(targets_[loss], y, targets_[loss].size_each);
  }
  /// Copies the targets of loss `from` to loss `to`, which has as many, of the same type.
  void repeat_targets(std::size_t from, std::size_t to) {
    std::copy(targets_[from].ids.begin(), targets_[from].ids.end(), targets_[to].ids.begin());
    std::copy(targets_[from].numbers.begin(), targets_[from].numbers.end(), targets_[to].numbers.begin());
  }
  /// From the caller's own values: samples one after another for each input, and their targets for each loss.
  void gather(std::span<const index_t> rows, std::span<const host_values<T>> x, std::span<const host_values<T>> y) {
    rows_ = rows;
    for (std::size_t i = 0; i < x.size(); ++i) take_rows(x[i], x_[i]);
    for (std::size_t l = 0; l < y.size(); ++l) take_rows(y[l], targets_[l]);
  }

 private:
  /// An input or the targets of a batch: numbers or ids.
  struct column {
    index_t size_each;
    std::vector<T> numbers = {};
    std::vector<std::int32_t> ids = {};
    std::vector<float> singles = {};  // samples as a data set writes them, if the column has another type

    column(index_t each, element type, index_t batch) : size_each(each) {
      const auto size = static_cast<std::size_t>(checked_mul(batch, each));
      type == element::i32 ? ids.resize(size) : numbers.resize(size);
    }
    [[nodiscard]] bool of_ids() const noexcept { return numbers.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return (std::max)(numbers.size(), ids.size()); }
  };

  [[nodiscard]] host_values<T> filled(const column& from) const {
    const index_t count = static_cast<index_t>(rows_.size()) * from.size_each;
    return (from.of_ids() ? host_values<T>(from.ids) : host_values<T>(from.numbers)).part(0, count);
  }
  void take_rows(const host_values<T>& values, column& to) const {
    const auto copy = [&](const auto* from, auto* at) {
      for (const index_t row : rows_) at = std::copy_n(from + row * to.size_each, to.size_each, at);
    };
    if (to.of_ids()) copy(values.ids().data(), to.ids.data());
    else copy(values.numbers().data(), to.numbers.data());
  }

  [[nodiscard]] static float* floats_of(column& to) {
    if constexpr (std::same_as<T, float>)
      if (!to.of_ids()) return to.numbers.data();
    to.singles.resize(to.size());
    return to.singles.data();
  }
  /// Buffer that a data set writes samples to: the values of each input, one input after another.
  [[nodiscard]] float* samples() {
    if (x_.size() == 1) return floats_of(x_[0]);
    std::size_t all = 0;
    for (const column& each : x_) all += each.size();
    samples_.resize(all);
    return samples_.data();
  }
  /// Distributes the contents of samples() to the inputs.
  /// Throws: as take_floats().
  void take_samples(const float* from) {
    index_t step = 0;
    for (const column& each : x_) step += each.size_each;
    for (column& each : x_) take_floats(each, from, step), from += each.size_each;
  }
  /// Converts rows written by a data set, with a stride of `step` values, into the column.
  /// Throws: value_error, naming the row, for an id that is not a whole number.
  void take_floats(column& to, const float* from, index_t step) const {
    if constexpr (std::same_as<T, float>)
      if (!to.of_ids() && from == to.numbers.data()) return;  // already in place
    index_t at = 0;
    for (const index_t row : rows_) {
      if (to.of_ids()) take_ids(row, std::span(from, static_cast<std::size_t>(to.size_each)), to.ids.data() + at);
      else std::copy_n(from, to.size_each, to.numbers.data() + at);
      from += step, at += to.size_each;
    }
  }
  static void take_ids(index_t row, std::span<const float> from, std::int32_t* to) {
    for (const float id : from) {
      const bool whole =
          id >= -0x1p31F && id < 0x1p31F && exactly(static_cast<float>(static_cast<std::int32_t>(id)), id);
      require<value_error>(whole, "data set: an id of row ", row, " is ", id, "; must be a whole number");
      *to++ = static_cast<std::int32_t>(id);
    }
  }
  void check_labels(std::size_t loss, int classes, std::optional<std::int32_t> ignored) const {
    const std::span<const std::int32_t> labels = targets(loss).ids();
    for (std::size_t i = 0; i < labels.size(); ++i)
      require<value_error>((labels[i] >= 0 && labels[i] < classes) || labels[i] == ignored, "data set: label of row ",
                           rows_[i / static_cast<std::size_t>(targets_[loss].size_each)], " is ", labels[i],
                           "; must be >= 0 and < ", classes,
                           ignored ? concat(", or ", *ignored, ", which is ignored") : "");
  }

  std::vector<column> x_, targets_;  // by input, by loss
  std::vector<float> samples_;       // full samples of several inputs, before they are split
  std::span<const index_t> rows_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Collects batches from a data set, or from the caller's own values, in host memory, as numbers of type T and as ids
/// and labels.
template <std::floating_point T>
class feeder {
 public:
  /// Batches of a data set, which must outlive the feeder; `threads` threads prepare them ahead, 0 if the data set
  /// allows only one thread.
  /// Throws: shape_error unless a sample has as many values as all of the network's inputs and as many targets;
  /// value_error if targets are of the wrong kind or the data set has no samples; for several losses, also unless it is
  /// several_targets of as many.
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
  /// Batches of the caller's values, used in place; they must outlive the feeder: samples one after another for each
  /// input, and their targets for each loss.
  /// Throws: shape_error unless all hold as many samples as there are targets for; value_error for no samples, and for
  /// ids in place of numbers.
  feeder(std::span<const host_values<T>> x, std::span<const host_values<T>> y, const batch_form& form)
      : feeder(detail::count_samples<T>(y, form.targets), form, 0) {
    detail::check_samples<T>(x, form.inputs, size());
    gather_ = [x = std::vector(x.begin(), x.end()), y = std::vector(y.begin(), y.end())](rows_of rows, batch& to) {
      to.gather(rows, x, y);
    };
  }
  feeder(const feeder&) = delete;  // threads hold its address
  feeder& operator=(const feeder&) = delete;
  ~feeder() = default;

  /// Total number of samples.
  [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(order_.size()); }
  /// Prepares ahead only the batches with numbers first, first + step, …: this rank's, of several ranks.
  void prepare_every(index_t step, index_t first) {
    batches_.pause();
    step_ = step, first_ = first;
  }
  void in_order() { std::iota(order_.begin(), order_.end(), index_t{0}); }
  /// Rows of the data set for samples first … first + count - 1 of the current order.
  [[nodiscard]] std::span<const index_t> rows(index_t first, index_t count) const {
    return std::span<const index_t>(order_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }
  /// Shuffles for an epoch, with a different permutation each time, the same for every backend. Calls begin_epoch() of
  /// the data set.
  void shuffle(std::uint64_t seed, std::uint64_t epoch) {
    batches_.pause();
    in_order();
    if (data_ != nullptr) data_->begin_epoch(epoch);
    random_stream random(seed, epoch + shuffle_streams);
    for (std::size_t i = order_.size() - 1; i > 0; --i)
      std::swap(order_[i], order_[random.below(static_cast<std::uint32_t>(i + 1))]);
  }
  /// Takes samples first … first + count - 1 of the current order. Consecutive whole batches are prepared ahead.
  /// Throws: value_error, naming the row, for a label that is not one of the data set's classes, or an id that is not a
  /// whole number; any exception of the data set.
  void take(index_t first, index_t count) {
    const index_t number = first / batch_, all = size() / batch_;
    const bool prepared = count == batch_ && first % batch_ == 0 && number % step_ == first_;
    taken_ = prepared ? &batches_.take(number / step_, (all - first_ + step_ - 1) / step_)
                      : &batches_.fill_one([&](batch& to) { gather_(rows(first, count), to); });
  }
  /// Bytes of `count` samples and their targets.
  [[nodiscard]] std::uint64_t bytes(index_t count) const { return static_cast<std::uint64_t>(count) * sample_bytes_; }
  [[nodiscard]] host_values<T> x(std::size_t input = 0) const { return taken_->x(input); }
  [[nodiscard]] std::size_t inputs() const noexcept { return inputs_; }
  [[nodiscard]] host_values<T> targets(std::size_t loss = 0) const { return taken_->targets(loss); }
  [[nodiscard]] std::size_t losses() const noexcept { return losses_; }
  /// Rows of the data set for the current batch.
  [[nodiscard]] std::span<const index_t> rows() const noexcept { return taken_->rows(); }
  /// Waits for batches in preparation; none starts until the next take().
  void pause() { batches_.pause(); }
  /// Time spent so far preparing batches, and waiting for them.
  [[nodiscard]] making_times times() const { return batches_.times(); }

  /// Batches in memory when `threads` prepare them: one in use, one ready, and those in preparation.
  [[nodiscard]] static constexpr std::size_t batches_held(int threads) noexcept {
    return threads == 0 ? 1 : static_cast<std::size_t>(threads) + 2;
  }

 private:
  using batch = detail::host_batch<T>;
  using rows_of = std::span<const index_t>;
  using labels_or_values = std::variant<const basic_dataset<std::int32_t>*, const basic_dataset<float>*>;
  /// Source of the targets of a loss: those from an earlier loss, `first`, or its own.
  struct source {
    std::size_t first;
    labels_or_values targets;
  };
  struct make_batch {
    const feeder* of;
    void operator()(index_t number, batch& to) const {
      of->gather_(of->rows((number * of->step_ + of->first_) * of->batch_, of->batch_), to);
    }
  };
  static constexpr std::uint64_t shuffle_streams = std::uint64_t{1} << 32;  // separate from the parameters' streams

  feeder(index_t size, const batch_form& form, int threads)
      : order_(static_cast<std::size_t>(size)),
        batch_(form.batch),
        inputs_(form.inputs.size()),
        losses_(form.targets.size()),
        sample_bytes_(form.sample_bytes<T>()),
        batches_(std::vector<batch>(batches_held(threads), batch(form)), threads, make_batch{this}) {
    in_order();
  }
  /// Throws: value_error for targets of the other kind; shape_error for the wrong number of them.
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
  const any_dataset* data_ = nullptr;  // null if the caller's own values are fed
  std::vector<index_t> order_;
  index_t batch_, step_ = 1, first_ = 0;
  std::size_t inputs_, losses_;
  std::uint64_t sample_bytes_;
  std::function<void(rows_of, batch&)> gather_;  // fills a batch with the samples of these rows
  const batch* taken_ = nullptr;
  detail::prefetcher<batch, make_batch> batches_;  // last member: its threads end first
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
