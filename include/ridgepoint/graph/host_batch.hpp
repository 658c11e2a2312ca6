// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <ridgepoint/graph/batch_form.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A batch in host memory, of at most as many samples as its form says: what each input and each loss is fed with.
template <std::floating_point T>
class host_batch {
 public:
  explicit host_batch(const batch_form& form) {
    for (const batch_form::input& each : form.inputs) x_.emplace_back(each.sample.size(), each.type, form.batch);
    for (const batch_form::target& each : form.targets) targets_.emplace_back(each.each, each.type, form.batch);
  }

  /// Where in the data set its samples are.
  [[nodiscard]] std::span<const index_t> rows() const noexcept { return rows_; }
  [[nodiscard]] host_values<T> x(std::size_t input) const { return filled(x_[input]); }
  [[nodiscard]] host_values<T> targets(std::size_t loss) const { return filled(targets_[loss]); }

  /// It becomes these rows of a data set, whose labels are the targets of a loss.
  void gather(std::span<const index_t> rows, const basic_dataset<std::int32_t>& data, std::size_t loss) {
    rows_ = rows;
    float* const x = samples();
    data.gather(rows, x, targets_[loss].ids.data());
    take_samples(x);
    check_labels(loss, data.classes(), data.ignored_label());
  }
  /// Of one with values.
  void gather(std::span<const index_t> rows, const basic_dataset<float>& data, std::size_t loss) {
    rows_ = rows;
    float *const x = samples(), *const y = floats_of(targets_[loss]);
    data.gather(rows, x, y);
    take_samples(x);
    take_floats(targets_[loss], y, targets_[loss].size_each);
  }
  /// The targets of loss `to` become those of loss `from`, whose are as many, of the same type.
  void repeat_targets(std::size_t from, std::size_t to) {
    std::copy(targets_[from].ids.begin(), targets_[from].ids.end(), targets_[to].ids.begin());
    std::copy(targets_[from].numbers.begin(), targets_[from].numbers.end(), targets_[to].numbers.begin());
  }
  /// Of a program's own values: samples one after another for each input, and their targets for each loss.
  void gather(std::span<const index_t> rows, std::span<const host_values<T>> x, std::span<const host_values<T>> y) {
    rows_ = rows;
    for (std::size_t i = 0; i < x.size(); ++i) take_rows(x[i], x_[i]);
    for (std::size_t l = 0; l < y.size(); ++l) take_rows(y[l], targets_[l]);
  }

 private:
  /// An input, or the targets, of a batch: numbers or ids.
  struct column {
    index_t size_each;
    std::vector<T> numbers = {};
    std::vector<std::int32_t> ids = {};
    std::vector<float> singles = {};  // what a data set gives where it holds something else

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
  /// Where a data set writes samples: of several inputs the values of each, one input behind the other.
  [[nodiscard]] float* samples() {
    if (x_.size() == 1) return floats_of(x_[0]);
    std::size_t all = 0;
    for (const column& each : x_) all += each.size();
    samples_.resize(all);
    return samples_.data();
  }
  /// What samples() was filled with becomes what the inputs hold.
  /// Throws: as take_floats().
  void take_samples(const float* from) {
    index_t step = 0;
    for (const column& each : x_) step += each.size_each;
    for (column& each : x_) take_floats(each, from, step), from += each.size_each;
  }
  /// Rows that a data set has written, `step` values from one to the next, become what the column holds.
  /// Throws: value_error for an id that is no whole number, naming the row.
  void take_floats(column& to, const float* from, index_t step) const {
    if constexpr (std::same_as<T, float>)
      if (!to.of_ids() && from == to.numbers.data()) return;  // written where they are held
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
  std::vector<float> samples_;       // whole ones, before each input has its part
  std::span<const index_t> rows_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
