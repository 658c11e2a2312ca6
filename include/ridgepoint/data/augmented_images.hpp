// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// How images are changed each time they are taken.
struct augmentation_options {
  double shift = 0.1;     // by whole pixels, up to this share of height and of width; 0 ≤ shift < 1
  double mirrored = 0.5;  // this share of them from left to right; 0 ≤ mirrored ≤ 1
  std::uint64_t seed = 42;
};

namespace detail {
/// Moves `count` things of `size` values by `by` places, and puts the first or the last one in those that get free.
inline void shift_places(float* x, index_t count, index_t size, index_t by) {
  if (by > 0) {
    std::copy_backward(x, x + (count - by) * size, x + count * size);
    for (index_t i = 0; i < by; ++i) std::copy_n(x + by * size, size, x + i * size);
  } else if (by < 0) {
    std::copy(x - by * size, x + count * size, x);
    for (index_t i = count + by; i < count; ++i) std::copy_n(x + (count + by - 1) * size, size, x + i * size);
  }
}
}  // namespace detail

/// The images of another data set, shifted and mirrored at random: what is learnt does not depend on where things are.
/// At the border the outermost pixels are repeated, as Keras' ImageDataGenerator does.
///
/// What is drawn depends on the seed, the epoch that a trainer says begins, and the row: training that is interrupted
/// and resumed sees the same images.
/// Example:
///   const rp::augmented_images moved(images.train);
///   trainer.fit(moved, {.epochs = 20, .validation = &images.test});
class augmented_images final : public dataset {
 public:
  /// `of` must outlive it.
  /// Throws: shape_error if its samples are no images; value_error for an option out of its range.
  explicit augmented_images(const dataset& of, const augmentation_options& options = {}) : of_(of), options_(options) {
    require<shape_error>(of.sample_shape().rank() == 3, "augmented_images: a sample is ", of.sample_shape(),
                         "; must be height x width x channels");
    require<value_error>(options.shift >= 0 && options.shift < 1, "augmented_images: shift is ", options.shift,
                         "; must be >= 0 and < 1");
    require<value_error>(options.mirrored >= 0 && options.mirrored <= 1, "augmented_images: mirrored is ",
                         options.mirrored, "; must be >= 0 and <= 1");
  }

  [[nodiscard]] index_t size() const override { return of_.size(); }
  [[nodiscard]] shape sample_shape() const override { return of_.sample_shape(); }
  [[nodiscard]] int classes() const override { return of_.classes(); }
  [[nodiscard]] std::optional<std::int32_t> ignored_label() const override { return of_.ignored_label(); }
  [[nodiscard]] gathering gathered() const override { return detail::gathered_through(of_); }
  void begin_epoch(std::uint64_t epoch) const override {
    epoch_ = epoch;
    of_.begin_epoch(epoch);
  }
  void gather(std::span<const index_t> rows, float* x, std::int32_t* labels) const override {
    of_.gather(rows, x, labels);
    for (const index_t row : rows) {
      random_stream random(options_.seed, epoch_ << 32 | static_cast<std::uint64_t>(row));
      change(random, x);
      x += sample_shape().size();
    }
  }

 private:
  void change(random_stream& random, float* x) const {
    const shape image = of_.sample_shape();
    const index_t height = image[0], width = image[1], channels = image[2];
    const auto places = [&](index_t extent) {
      const auto most = static_cast<index_t>(options_.shift * static_cast<double>(extent));
      return static_cast<index_t>(random.below(static_cast<std::uint32_t>(2 * most + 1))) - most;
    };
    const index_t down = places(height), right = places(width);
    const bool mirrored = random.uniform() < options_.mirrored;
    detail::shift_places(x, height, width * channels, down);
    for (index_t row = 0; row < height; ++row, x += width * channels) {
      detail::shift_places(x, width, channels, right);
      for (index_t i = 0; mirrored && i < width / 2; ++i)
        std::swap_ranges(x + i * channels, x + (i + 1) * channels, x + (width - 1 - i) * channels);
    }
  }

  const dataset& of_;
  augmentation_options options_;
  mutable std::uint64_t epoch_ = 0;  // that a trainer is in
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
