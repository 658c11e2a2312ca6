// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/shape.hpp>
#include <ridgepoint/graph/dataset.hpp>
#include <ridgepoint/graph/host_values.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What a network takes: inputs, their extents for one sample, and the targets of each loss.
struct batch_form {
  struct input {
    shape sample;
    element type = element::stored;  // numbers, or i32: ids
  };
  struct target {
    element type = element::i32;  // labels, or stored: numbers
    index_t each = 1;             // of a sample
    index_t classes = 0;          // a label is below
  };
  std::vector<input> inputs;
  std::vector<target> targets;  // by loss
  index_t batch = 1;
};

namespace detail {
/// Throws: shape_error unless there are values for each input and all hold `count` samples; value_error for ids where
/// numbers must be, and the other way round.
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
/// How many samples there are targets for.
/// Throws: shape_error unless there are targets for each loss, whole samples, and as many for all; value_error for
/// none, for ids where numbers must be, and the other way round.
template <std::floating_point T>
[[nodiscard]] index_t count_samples(std::span<const host_values<T>> y, std::span<const batch_form::target> targets) {
  require<shape_error>(y.size() == targets.size(), "samples: targets for ", y.size(), " losses; the network has ",
                       targets.size());
  const index_t count = y[0].size() / targets[0].each;
  for (std::size_t l = 0; l < y.size(); ++l) {
    y[l].check_suits(targets[l].type, "samples: the loss");
    const index_t each = targets[l].each;
    require<shape_error>(y[l].size() % each == 0, "samples: ", y[l].size(), " targets; must be a multiple of ", each,
                         ", those of a sample");
    require<shape_error>(y[l].size() / each == count, "samples: targets of loss ", l, " for ", y[l].size() / each,
                         " samples; must be for ", count, ", as those of loss 0");
  }
  require<value_error>(count > 0, "samples: no samples; must be some");
  return count;
}
}  // namespace detail

/// Takes batches out of a data set, or out of a program's own values, into host memory, as numbers of type T and as
/// ids and labels.
template <std::floating_point T>
class feeder {
 public:
  /// Batches of a data set, which must outlive it.
  /// Throws: shape_error unless a sample has as many values as the network's only input and as many targets;
  /// value_error for several inputs, for targets of the other kind, unless the data set has samples and, if its targets
  /// are labels, no more classes than there may be.
  feeder(const any_dataset& data, const batch_form& form) : feeder(data.size(), form) {
    data_ = &data;
    require<value_error>(form.inputs.size() == 1, "data set: the network has ", form.inputs.size(),
                         " inputs; must have 1, or be given the values of each: {a, b}");
    const shape& sample = form.inputs[0].sample;
    require<shape_error>(data.sample_shape().size() == sample.size(), "data set: a sample is ", data.sample_shape(),
                         "; the network's input is ", sample, " and must have as many values");
    require<value_error>(form.targets.size() == 1, "data set: the network has ", form.targets.size(),
                         " losses; must have 1, or be given the targets of each: {a, b}");
    const batch_form::target& wanted = form.targets[0];
    const auto* const labelled = dynamic_cast<const basic_dataset<std::int32_t>*>(&data);
    const auto* const valued = dynamic_cast<const basic_dataset<float>*>(&data);
    const bool labels = wanted.type == element::i32, suits = labels ? labelled != nullptr : valued != nullptr;
    require<value_error>(suits, "data set: its targets are ", labels ? "values" : "labels", "; the loss must have ",
                         labels ? "labels" : "values");
    require<shape_error>(data.target_shape().size() == wanted.each, "data set: has ", data.target_shape().size(),
                         " targets a sample; the network's output must have ", wanted.each);
    require<value_error>(data.size() > 0, "data set: has no samples; must have some");
    column& targets = targets_[0];
    if (labels) {
      require<value_error>(data.classes() <= wanted.classes, "data set: has ", data.classes(),
                           " classes; the network's output has only ", wanted.classes);
      gather_ = [labelled, single = singles(0)](feeder& to) mutable {
        labelled->gather(to.rows_, to.floats_of(to.x_[0], single), to.targets_[0].ids.data());
        to.take_floats(to.x_[0], single);
        to.check_labels(labelled->classes());
      };
    } else {
      gather_ = [valued, single = singles(0),
                 values = std::vector<float>(element_of<T> == element::f32 ? 0 : targets.numbers.size())](
                    feeder& to) mutable {
        valued->gather(to.rows_, to.floats_of(to.x_[0], single), to.floats_of(to.targets_[0], values));
        to.take_floats(to.x_[0], single);
        to.take_floats(to.targets_[0], values);
      };
    }
  }
  /// Batches of values that stay where they are: for each input samples one after another, and their targets for each
  /// loss.
  /// Throws: shape_error unless all hold as many samples as there are targets for; value_error for none, and for ids
  /// where numbers must be.
  feeder(std::span<const host_values<T>> x, std::span<const host_values<T>> y, const batch_form& form)
      : feeder(detail::count_samples<T>(y, form.targets), form) {
    detail::check_samples<T>(x, form.inputs, size());
    gather_ = [from = std::vector(x.begin(), x.end()), y = std::vector(y.begin(), y.end())](feeder& to) {
      for (std::size_t i = 0; i < from.size(); ++i) to.take_rows(from[i], to.x_[i]);
      for (std::size_t l = 0; l < y.size(); ++l) to.take_rows(y[l], to.targets_[l]);
    };
  }

  /// Samples in all.
  [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(order_.size()); }
  void in_order() { std::iota(order_.begin(), order_.end(), index_t{0}); }
  /// Another permutation for every epoch, the same for every backend. The data set is told of the epoch.
  void shuffle(std::uint64_t seed, std::uint64_t epoch) {
    in_order();
    if (data_ != nullptr) data_->begin_epoch(epoch);
    random_stream random(seed, epoch + shuffle_streams);
    for (std::size_t i = order_.size() - 1; i > 0; --i)
      std::swap(order_[i], order_[random.below(static_cast<std::uint32_t>(i + 1))]);
  }
  /// Samples first … first + count - 1 of the current order.
  /// Throws: value_error for a label that is none of the data set's classes, or an id that is no whole number, naming
  /// the row.
  void take(index_t first, index_t count) {
    rows_ = std::span<const index_t>(order_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    gather_(*this);
  }
  /// Of `count` samples and their targets.
  [[nodiscard]] std::uint64_t bytes(index_t count) const {
    std::uint64_t each = 0;
    for (const auto* columns : {&x_, &targets_})
      for (const column& of : *columns) each += of.bytes_each();
    return static_cast<std::uint64_t>(count) * each;
  }
  [[nodiscard]] host_values<T> x(std::size_t input = 0) const { return taken(x_[input]); }
  [[nodiscard]] std::size_t inputs() const noexcept { return x_.size(); }
  [[nodiscard]] host_values<T> targets(std::size_t loss = 0) const { return taken(targets_[loss]); }
  [[nodiscard]] std::size_t losses() const noexcept { return targets_.size(); }
  /// Where in the data set the samples that were taken are.
  [[nodiscard]] std::span<const index_t> rows() const noexcept { return rows_; }

 private:
  static constexpr std::uint64_t shuffle_streams = std::uint64_t{1} << 32;  // apart from the parameters' streams

  /// An input, or the targets, of a batch: numbers or ids.
  struct column {
    index_t size_each;
    std::vector<T> numbers = {};
    std::vector<std::int32_t> ids = {};

    column(index_t each, element type, index_t batch) : size_each(each) {
      const auto size = static_cast<std::size_t>(checked_mul(batch, each));
      type == element::i32 ? ids.resize(size) : numbers.resize(size);
    }
    [[nodiscard]] bool of_ids() const noexcept { return numbers.empty(); }
    [[nodiscard]] std::uint64_t bytes_each() const noexcept {
      return static_cast<std::uint64_t>(size_each) * (of_ids() ? sizeof(std::int32_t) : sizeof(T));
    }
  };

  feeder(index_t size, const batch_form& form) : order_(static_cast<std::size_t>(size)) {
    for (const batch_form::target& each : form.targets) targets_.emplace_back(each.each, each.type, form.batch);
    for (const batch_form::input& each : form.inputs) x_.emplace_back(each.sample.size(), each.type, form.batch);
    in_order();
  }
  [[nodiscard]] host_values<T> taken(const column& from) const {
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

  /// Room for the floats that a data set gives for an input which holds something else.
  [[nodiscard]] std::vector<float> singles(std::size_t input) const {
    const column& to = x_[input];
    return std::vector<float>(std::same_as<T, float> && !to.of_ids() ? 0 : std::max(to.numbers.size(), to.ids.size()));
  }
  [[nodiscard]] static float* floats_of(column& to, std::vector<float>& single) {
    if constexpr (std::same_as<T, float>)
      if (single.empty()) return to.numbers.data();
    return single.data();
  }
  void take_floats(column& to, const std::vector<float>& single) const {
    if (!to.of_ids()) {
      std::copy(single.begin(), single.end(), to.numbers.begin());
      return;
    }
    const std::size_t each = static_cast<std::size_t>(to.size_each);
    for (std::size_t i = 0; i < rows_.size() * each; ++i) {
      const float id = single[i];
      const bool whole = id >= -0x1p31F && id < 0x1p31F && static_cast<float>(static_cast<std::int32_t>(id)) == id;
      require<value_error>(whole, "data set: an id of row ", rows_[i / each], " is ", id, "; must be a whole number");
      to.ids[i] = static_cast<std::int32_t>(id);
    }
  }
  void check_labels(int classes) const {
    const std::span<const std::int32_t> labels = targets().ids();
    for (std::size_t i = 0; i < labels.size(); ++i)
      require<value_error>(labels[i] >= 0 && labels[i] < classes, "data set: label of row ",
                           rows_[i / static_cast<std::size_t>(targets_[0].size_each)], " is ", labels[i],
                           "; must be >= 0 and < ", classes);
  }

  const any_dataset* data_ = nullptr;  // unless a program's own values are fed
  std::vector<index_t> order_;
  std::vector<column> x_, targets_;      // by input, by loss
  std::span<const index_t> rows_;        // of order_
  std::function<void(feeder&)> gather_;  // fills x_ and targets_ with the samples of rows_
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
