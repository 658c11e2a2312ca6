// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The samples of another data set as their own targets: what an autoencoder learns to give back.
class own_targets final : public regression_dataset {
 public:
  /// `of` must outlive it.
  explicit own_targets(const dataset& of) : of_(of) {}

  [[nodiscard]] index_t size() const override { return of_.size(); }
  [[nodiscard]] shape sample_shape() const override { return of_.sample_shape(); }
  [[nodiscard]] shape target_shape() const override { return of_.sample_shape(); }
  [[nodiscard]] gathering gathered() const override { return of_.gathered(); }
  [[nodiscard]] bool stays_the_same() const override { return of_.stays_the_same(); }
  void begin_epoch(std::uint64_t epoch) const override { of_.begin_epoch(epoch); }
  void gather(std::span<const index_t> rows, float* x, float* targets) const override {
    const index_t values = of_.sample_shape().size();
    for (const index_t& row : rows) {
      std::int32_t label = 0;
      of_.gather({&row, 1}, x, &label);
      targets = std::copy_n(x, values, targets);
      x += values;
    }
  }

 private:
  const dataset& of_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
