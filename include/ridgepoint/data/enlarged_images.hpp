// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <vector>

#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The images of another data set with every pixel repeated: 32 × 32 by 7 is 224 × 224.
/// Example: const rp::enlarged_images learnt(cifar.train, 7);
class enlarged_images final : public dataset {
 public:
  /// `of` must outlive it, and have images.
  /// Throws: value_error for a factor < 1; shape_error where its samples are no images, or the enlarged ones too large.
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
    std::vector<float> image(static_cast<std::size_t>(each.size()));  // one of them, as it was
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
