// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include <ridgepoint/core/shape.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Labelled samples, addressed by row: what a trainer learns from and is tested on.
///
/// Values are float whatever the network computes in; a network in double converts them.
struct dataset {
  virtual ~dataset() = default;
  /// Number of samples.
  [[nodiscard]] virtual index_t size() const = 0;
  /// Extents of one sample, without the batch: {28, 28, 1}.
  [[nodiscard]] virtual shape sample_shape() const = 0;
  /// Labels are 0 … classes() - 1.
  [[nodiscard]] virtual int classes() const = 0;
  /// Writes the samples of `rows`, one after the other, to x (rows.size() · sample_shape().size() values) and their
  /// labels to labels (rows.size() values), both in host memory.
  /// Requires: 0 <= row < size() for every row. Does not allocate, so that a training step does not.
  virtual void gather(std::span<const index_t> rows, float* x, std::int32_t* labels) const = 0;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
