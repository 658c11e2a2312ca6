// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include <ridgepoint/core/shape.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Which threads may ask a data set for samples.
enum class gathering {
  on_one_thread,   // that of the trainer alone
  on_any_threads,  // several at once, but none while begin_epoch() is called; samples take next to no time
  ahead            // the same, and samples take long enough for batches to be made ahead on threads of their own
};

/// Samples and their targets, addressed by row: what a trainer learns from and is tested on.
struct any_dataset {
  virtual ~any_dataset() = default;
  /// Number of samples.
  [[nodiscard]] virtual index_t size() const = 0;
  /// Extents of one sample, without the batch: {28, 28, 1}. Where the network has several inputs, a sample has the
  /// values of all, one input behind the other, in the order that trainers take them: {2, steps}.
  [[nodiscard]] virtual shape sample_shape() const = 0;
  /// Extents of the targets of one sample; {} is one.
  [[nodiscard]] virtual shape target_shape() const { return {}; }
  /// Labels are 0 … classes() - 1; 0 where targets are values.
  [[nodiscard]] virtual int classes() const { return 0; }
  /// Label of samples that do not count, in addition to those of the classes; the loss must ignore it, too.
  [[nodiscard]] virtual std::optional<std::int32_t> ignored_label() const { return {}; }
  /// Whether batches may be, and are, made ahead while the network learns from those before.
  [[nodiscard]] virtual gathering gathered() const { return gathering::on_one_thread; }
  /// Whether a row is the same whenever it is asked for, in every epoch, so that a backend may keep it.
  [[nodiscard]] virtual bool stays_the_same() const { return false; }
  /// A trainer says which epoch the samples that it takes next are learnt in; the first is 0. What is drawn anew for
  /// every epoch depends on it.
  virtual void begin_epoch(std::uint64_t) const {}
};

/// The same with targets of a type. Values are float whatever the network computes in: a network in double converts
/// them, and one that takes ids takes whole numbers.
template <class Target>
struct basic_dataset : any_dataset {
  /// Writes the samples of `rows`, one after the other, to x (rows.size() · sample_shape().size() values) and their
  /// targets to targets (rows.size() · target_shape().size() values), both in host memory.
  /// Requires: 0 <= row < size() for every row. Does not allocate, so that a training step does not.
  virtual void gather(std::span<const index_t> rows, float* x, Target* targets) const = 0;
};

namespace detail {
/// Of a data set that makes something of the samples of another one.
[[nodiscard]] inline gathering gathered_through(const any_dataset& of) {
  return of.gathered() == gathering::on_one_thread ? gathering::on_one_thread : gathering::ahead;
}
}  // namespace detail

/// Samples with labels: classes, to be told apart.
struct dataset : basic_dataset<std::int32_t> {
  [[nodiscard]] int classes() const override = 0;
};

/// Samples with values, to be approximated.
struct regression_dataset : basic_dataset<float> {};

/// What a loss with targets of this type learns from.
template <class Target>
using dataset_for = std::conditional_t<std::same_as<Target, std::int32_t>, dataset, regression_dataset>;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
