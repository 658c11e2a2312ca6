// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The images of another data set, each standardised by itself: (x − mean) / max(deviation, 1/(255·√values)), over all
/// its values. That is TensorFlow's per_image_standardization of the bytes where the other gives pixel / 255.
/// Example:
///   const rp::standardised_images learnt(images.train);
///   trainer.fit(learnt, {.epochs = 13});
class standardised_images final : public dataset {
 public:
  /// `of` must outlive it.
  explicit standardised_images(const dataset& of) : of_(of) {}

  [[nodiscard]] index_t size() const override { return of_.size(); }
  [[nodiscard]] shape sample_shape() const override { return of_.sample_shape(); }
  [[nodiscard]] int classes() const override { return of_.classes(); }
  [[nodiscard]] std::optional<std::int32_t> ignored_label() const override { return of_.ignored_label(); }
  [[nodiscard]] gathering gathered() const override { return detail::gathered_through(of_); }
  [[nodiscard]] bool stays_the_same() const override { return of_.stays_the_same(); }
  void begin_epoch(std::uint64_t epoch) const override { of_.begin_epoch(epoch); }
  void gather(std::span<const index_t> rows, float* x, std::int32_t* labels) const override {
    of_.gather(rows, x, labels);
    const index_t values = sample_shape().size();
    for (std::size_t i = 0; i < rows.size(); ++i, x += values) standardise({x, static_cast<std::size_t>(values)});
  }

 private:
  static void standardise(std::span<float> x) {
    const auto values = static_cast<double>(x.size());
    double sum = 0, squares = 0;
    for (const float value : x) sum += static_cast<double>(value);
    const double mean = sum / values;
    const auto centred = [mean](float value) { return static_cast<double>(value) - mean; };
    for (const float value : x) squares += centred(value) * centred(value);
    const double deviation = (std::max)(std::sqrt(squares / values), 1 / (255 * std::sqrt(values)));
    for (float& value : x) value = static_cast<float>(centred(value) / deviation);
  }

  const dataset& of_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
