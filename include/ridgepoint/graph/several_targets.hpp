// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What a network with several losses learns from: data sets of the same samples, one for each loss, with its targets.
/// One may be there several times.
///
/// Example:
///   const rp::several_targets twice({&text, &text});            // two losses that learn the same labels
///   const rp::several_targets both({&digits, &own_pixels});     // one tells apart, one gives back
class several_targets final : public any_dataset {
 public:
  /// They must outlive it, and give the same samples.
  /// Throws: value_error for none, or a null pointer; shape_error unless all have as many samples, of as many values.
  explicit several_targets(std::vector<const any_dataset*> by_loss) : by_loss_(std::move(by_loss)) {
    require<value_error>(!by_loss_.empty(), "several_targets: of no data set; must be of one for each loss");
    require<value_error>(std::find(by_loss_.begin(), by_loss_.end(), nullptr) == by_loss_.end(),
                         "several_targets: a data set is a null pointer; must be there for each loss");
    for (const any_dataset* each : by_loss_)
      require<shape_error>(each->size() == size() && each->sample_shape().size() == sample_shape().size(),
                           "several_targets: ", each->size(), " samples of ", each->sample_shape(), " beside ", size(),
                           " of ", sample_shape(), "; must be the same");
  }

  [[nodiscard]] index_t size() const override { return by_loss_[0]->size(); }
  [[nodiscard]] shape sample_shape() const override { return by_loss_[0]->sample_shape(); }
  [[nodiscard]] shape target_shape() const override { return by_loss_[0]->target_shape(); }
  [[nodiscard]] int classes() const override { return by_loss_[0]->classes(); }
  /// As the most careful of them.
  [[nodiscard]] gathering gathered() const override {
    gathering strictest = gathering::on_any_threads;
    for (const any_dataset* each : by_loss_) {
      if (each->gathered() == gathering::on_one_thread) return gathering::on_one_thread;
      if (each->gathered() == gathering::ahead) strictest = gathering::ahead;
    }
    return strictest;
  }
  [[nodiscard]] bool stays_the_same() const override {
    return std::all_of(by_loss_.begin(), by_loss_.end(), [](const auto* each) { return each->stays_the_same(); });
  }
  void begin_epoch(std::uint64_t epoch) const override {
    for (std::size_t l = 0; l < by_loss_.size(); ++l)
      if (first_of(l) == l) by_loss_[l]->begin_epoch(epoch);
  }
  [[nodiscard]] const std::vector<const any_dataset*>& by_loss() const noexcept { return by_loss_; }
  /// The first loss that learns from the same data set as loss l.
  [[nodiscard]] std::size_t first_of(std::size_t l) const noexcept {
    return static_cast<std::size_t>(std::find(by_loss_.begin(), by_loss_.end(), by_loss_[l]) - by_loss_.begin());
  }

 private:
  std::vector<const any_dataset*> by_loss_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
