// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/data/anchors.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The images of another data set, each enlarged some times and placed somewhere on a grey one, to be found: where and
/// how large depends on the row alone. Targets are what nn::detection takes for the anchors of pyramid_anchors: a
/// class and the offsets of the box where an anchor overlaps it by half, or most of all; no class and NaN elsewhere.
/// Example: const rp::placed_images learnt(cifar.train, {.pixels = 224, .classes = 91});
class placed_images final : public regression_dataset {
 public:
  struct options {
    index_t pixels, classes;
    std::uint64_t seed = 0;
  };
  /// `of` must outlive it, and have square images.
  /// Throws: shape_error where its samples are no square images, or larger than `pixels`, or where the larger ones, or
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
    std::vector<float> image(static_cast<std::size_t>(of_.sample_shape().size()));  // one of them, as it was
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
