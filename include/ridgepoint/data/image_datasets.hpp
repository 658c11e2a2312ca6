// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Random changes applied to images on each access.
struct augmentation_options {
  double shift = 0.1;     // in full pixels, up to this share of height and of width; 0 ≤ shift < 1
  double mirrored = 0.5;  // share of images mirrored left to right; 0 ≤ mirrored ≤ 1
  std::uint64_t seed = 42;
};

namespace detail {
/// Moves `count` elements of `size` values by `by` positions, and repeats the first or last one in the vacated ones.
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

/// Images of another data set, shifted and mirrored at random, for a network that does not depend on positions. At the
/// border the outermost pixels are repeated, as in Keras' ImageDataGenerator.
///
/// The changes depend on the seed, the trainer's current epoch, and the row: interrupted and resumed training sees the
/// same images.
/// Example:
///   const rp::augmented_images moved(images.train);
///   trainer.fit(moved, {.epochs = 20, .validation = &images.test});
class augmented_images final : public dataset {
 public:
  /// `of` must outlive this object.
  /// Throws: shape_error if its samples are not images; value_error for an option out of its range.
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
  mutable std::uint64_t epoch_ = 0;  // current epoch of the trainer
};

/// Images of another data set with every pixel repeated: 32 × 32 by 7 is 224 × 224.
/// Example: const rp::enlarged_images learnt(cifar.train, 7);
class enlarged_images final : public dataset {
 public:
  /// `of` must outlive this object, and have images.
  /// Throws: value_error for a factor < 1; shape_error if its samples are not images, or the enlarged ones too large.
  enlarged_images(const dataset& of, index_t factor) : of_(of), factor_(factor) {
    const shape each = of.sample_shape();
    require<value_error>(factor >= 1, "enlarged_images: factor is ", factor, "; must be >= 1");
    require<shape_error>(each.rank() == 3 && each.size() > 0, "enlarged_images: a sample is ", each,
                         "; must be height x width x channels");
    static_cast<void>(checked_mul(checked_mul(factor, factor), checked_mul(each.size(), sizeof(float))));
  }

  [[nodiscard]] index_t size() const override { return of_.size(); }
  [[nodiscard]] shape sample_shape() const override {
    const shape each = of_.sample_shape();
    return {factor_ * each[0], factor_ * each[1], each[2]};
  }
  [[nodiscard]] int classes() const override { return of_.classes(); }
  [[nodiscard]] std::optional<std::int32_t> ignored_label() const override { return of_.ignored_label(); }
  [[nodiscard]] gathering gathered() const override { return detail::gathered_through(of_); }
  void begin_epoch(std::uint64_t epoch) const override { of_.begin_epoch(epoch); }
  void gather(std::span<const index_t> rows, float* x, std::int32_t* labels) const override {
    const shape each = of_.sample_shape();
    const index_t c = each[2], line = factor_ * each[1] * c;
    std::vector<float> image(static_cast<std::size_t>(each.size()));  // one of the original images
    for (const index_t& row : rows) {
      of_.gather({&row, 1}, image.data(), labels++);
      const float* pixel = image.data();
      for (index_t h = 0; h < each[0]; ++h) {
        float* at = x;
        for (index_t w = 0; w < each[1]; ++w, pixel += c)
          for (index_t i = 0; i < factor_; ++i) at = std::copy_n(pixel, c, at);
        for (index_t i = 1; i < factor_; ++i) std::copy_n(x, line, x + i * line);
        x += factor_ * line;
      }
    }
  }

 private:
  const dataset& of_;
  index_t factor_;
};

/// Images of another data set, each standardised: (x − mean) / max(deviation, 1/(255·√values)), over all its values.
/// Equals TensorFlow's per_image_standardization of the bytes if the other data set returns pixel / 255.
/// Example:
///   const rp::standardised_images learnt(images.train);
///   trainer.fit(learnt, {.epochs = 13});
class standardised_images final : public dataset {
 public:
  /// `of` must outlive this object.
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

/// Samples of another data set as their own targets, for an autoencoder.
class own_targets final : public regression_dataset {
 public:
  /// `of` must outlive this object.
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

/// Box in pixels: its centre and its extents.
struct box {
  double x = 0, y = 0, w = 0, h = 0;
};

/// Returns the intersection over union of two boxes.
[[nodiscard]] inline double overlap_of(const box& a, const box& b) noexcept {
  const auto shared = [](double a_at, double a_size, double b_at, double b_size) {
    const double first = (std::max)(a_at - a_size / 2, b_at - b_size / 2);
    const double last = (std::min)(a_at + a_size / 2, b_at + b_size / 2);
    return (std::max)(0.0, last - first);
  };
  const double both = shared(a.x, a.w, b.x, b.w) * shared(a.y, a.h, b.y, b.h);
  return both / (a.w * a.h + b.w * b.h - both);
}

/// Returns the offsets of a box from an anchor: ((x − xₐ)/wₐ, (y − yₐ)/hₐ, ln(w/wₐ), ln(h/hₐ)).
[[nodiscard]] inline std::array<double, 4> offsets_of(const box& of, const box& anchor) noexcept {
  return {(of.x - anchor.x) / anchor.w, (of.y - anchor.y) / anchor.h, std::log(of.w / anchor.w),
          std::log(of.h / anchor.h)};
}

/// RetinaNet's anchors of a square image: maps of an 8th, 16th, 32nd, 64th and 128th of its pixels, rounded up, with 9
/// boxes of 3 areas and 3 shapes at each position. 32 pixels on the largest map, doubling with each next map.
class pyramid_anchors {
 public:
  static constexpr int maps = 5, each = 9;

  explicit constexpr pyramid_anchors(index_t pixels) noexcept : pixels_(pixels) {}

  /// Returns the positions along one side of a map. Throws: value_error unless 0 <= map < maps.
  [[nodiscard]] constexpr index_t side(int map) const {
    require<value_error>(map >= 0 && map < maps, "pyramid_anchors: map is ", map, "; must be 0 to ", maps - 1);
    return ceil_div(pixels_, index_t{8} << map);
  }
  [[nodiscard]] constexpr index_t count() const {
    index_t places = 0;
    for (int map = 0; map < maps; ++map) places += side(map) * side(map);
    return each * places;
  }
  /// Calls use(number, anchor) for all anchors, the largest map first, row by row.
  template <class Use>
  void for_each(const Use& use) const {
    index_t number = 0;
    for (int map = 0; map < maps; ++map) {
      const double stride = static_cast<double>(pixels_) / static_cast<double>(side(map));
      for (index_t i = 0; i < side(map) * side(map); ++i)
        for (int k = 0; k < each; ++k) {
          const int third = k % 3, shape = k / 3 - 1;
          const double size = 32 * std::exp2(map + third / 3.0), narrow = std::exp2(shape / 2.0);
          const index_t row = i / side(map), column = i % side(map);
          use(number++, box{(static_cast<double>(column) + 0.5) * stride, (static_cast<double>(row) + 0.5) * stride,
                            size / narrow, size * narrow});
        }
    }
  }

 private:
  index_t pixels_;
};

/// Images of another data set, each enlarged and placed on a larger grey image, for detection: position and size depend
/// on the row only. Targets have the form of nn::detection for the anchors of pyramid_anchors: a class and the offsets
/// of the box for anchors that overlap it by half, or the most; no class and NaN elsewhere.
/// Example: const rp::placed_images learnt(cifar.train, {.pixels = 224, .classes = 91});
class placed_images final : public regression_dataset {
 public:
  struct options {
    index_t pixels, classes;
    std::uint64_t seed = 0;
  };
  /// `of` must outlive this object, and have square images.
  /// Throws: shape_error if its samples are not square images, or larger than `pixels`, or if the larger images, or
  /// their targets, are too large; value_error for no classes, or more than `classes`.
  placed_images(const dataset& of, const options& o) : of_(of), options_(o), anchors_(o.pixels) {
    const shape each = of.sample_shape();
    require<shape_error>(each.rank() == 3 && each.size() > 0 && each[0] == each[1] && each[0] <= o.pixels,
                         "placed_images: a sample is ", each, "; must be a square image of at most ", o.pixels,
                         " pixels");
    require<value_error>(1 <= of.classes() && of.classes() <= o.classes, "placed_images: has ", of.classes(),
                         " classes; must be at least 1 and at most ", o.classes);
    static_cast<void>(checked_mul(checked_mul(o.pixels, o.pixels), checked_mul(each[2], sizeof(float))));
    static_cast<void>(checked_mul(anchors_.count(), checked_mul(checked_add(o.classes, 4), sizeof(double))));
  }

  [[nodiscard]] index_t size() const override { return of_.size(); }
  [[nodiscard]] shape sample_shape() const override {
    return {options_.pixels, options_.pixels, of_.sample_shape()[2]};
  }
  [[nodiscard]] shape target_shape() const override { return {anchors_.count() * (options_.classes + 4)}; }
  [[nodiscard]] gathering gathered() const override { return detail::gathered_through(of_); }
  void begin_epoch(std::uint64_t epoch) const override { of_.begin_epoch(epoch); }
  void gather(std::span<const index_t> rows, float* x, float* targets) const override {
    std::vector<float> image(static_cast<std::size_t>(of_.sample_shape().size()));  // one of the original images
    for (const index_t& row : rows) {
      std::int32_t label = 0;
      of_.gather({&row, 1}, image.data(), &label);
      const place at = place_of(row);
      draw(at, image.data(), x);
      mark(at, label, targets);
      x += sample_shape().size();
      targets += target_shape().size();
    }
  }

 private:
  struct place {
    index_t x, y, factor;
  };

  [[nodiscard]] place place_of(index_t row) const {
    random_stream random(options_.seed, static_cast<std::uint64_t>(row));
    const auto below = [&](index_t end) { return static_cast<index_t>(random.below(static_cast<std::uint32_t>(end))); };
    const index_t side = of_.sample_shape()[0], factor = 1 + below(options_.pixels / side);
    const index_t room = options_.pixels - factor * side + 1;
    return {below(room), below(room), factor};
  }
  void draw(const place& at, const float* image, float* x) const {
    const index_t side = of_.sample_shape()[0], c = of_.sample_shape()[2], pixels = options_.pixels;
    std::fill_n(x, pixels * pixels * c, 0.5F);
    for (index_t h = 0; h < at.factor * side; ++h)
      for (index_t w = 0; w < at.factor * side; ++w)
        std::copy_n(image + (h / at.factor * side + w / at.factor) * c, c, x + ((at.y + h) * pixels + at.x + w) * c);
  }
  void mark(const place& at, std::int32_t label, float* targets) const {
    const auto extent = static_cast<double>(at.factor * of_.sample_shape()[0]);
    const box there{static_cast<double>(at.x) + extent / 2, static_cast<double>(at.y) + extent / 2, extent, extent};
    std::vector<double> overlaps(static_cast<std::size_t>(anchors_.count()));
    double most = 0;
    anchors_.for_each([&](index_t number, const box& anchor) {
      overlaps[static_cast<std::size_t>(number)] = overlap_of(there, anchor);
      most = (std::max)(most, overlaps[static_cast<std::size_t>(number)]);
    });
    float* const boxes = targets + anchors_.count() * options_.classes;
    std::fill(targets, boxes, 0.0F);
    std::fill_n(boxes, 4 * anchors_.count(), std::numeric_limits<float>::quiet_NaN());
    anchors_.for_each([&](index_t number, const box& anchor) {
      if (overlaps[static_cast<std::size_t>(number)] < (std::min)(most, 0.5)) return;
      targets[number * options_.classes + label] = 1;
      for (index_t i = 0; const double offset : offsets_of(there, anchor))
        boxes[4 * number + i++] = static_cast<float>(offset);
    });
  }

  const dataset& of_;
  options options_;
  pyramid_anchors anchors_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
