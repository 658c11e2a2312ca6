// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Samples of values that are uniform in [−1/2, 1/2), and labels, to time a network of any shape with: there is nothing
/// in them to learn. Both depend on seed and row alone; nothing is stored.
/// Example: const rp::random_samples data({.count = 1000, .sample = {224, 224, 3}, .classes = 1000});
class random_samples final : public dataset {
 public:
  struct options {
    index_t count;
    shape sample;
    index_t classes;
    std::uint64_t seed = 42;
  };
  /// Throws: value_error for no sample, no class, or more than an int counts; shape_error for a sample without values.
  explicit random_samples(const options& o) : options_(o) {
    require<value_error>(o.count >= 1, "random_samples: count is ", o.count, "; must be >= 1");
    require<value_error>(1 <= o.classes && o.classes <= (std::numeric_limits<int>::max)(),
                         "random_samples: classes is ", o.classes, "; must be 1 to ",
                         (std::numeric_limits<int>::max)());
    require<shape_error>(o.sample.size() > 0, "random_samples: a sample is ", o.sample, "; must have values");
  }

  [[nodiscard]] index_t size() const override { return options_.count; }
  [[nodiscard]] shape sample_shape() const override { return options_.sample; }
  [[nodiscard]] int classes() const override { return static_cast<int>(options_.classes); }
  [[nodiscard]] gathering gathered() const override { return gathering::ahead; }
  void gather(std::span<const index_t> rows, float* x, std::int32_t* labels) const override {
    for (const index_t row : rows) {
      random_stream random(options_.seed, static_cast<std::uint64_t>(row));
      *labels++ = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(options_.classes)));
      for (index_t i = 0; i < options_.sample.size(); ++i) *x++ = static_cast<float>(random.uniform() - 0.5);
    }
  }

 private:
  options options_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
