// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace synthetic {

using ridgepoint::gathering, ridgepoint::index_t, ridgepoint::random_stream, ridgepoint::require, ridgepoint::shape,
    ridgepoint::shape_error, ridgepoint::value_error;

/// Samples of values uniform in [−1/2, 1/2), and labels, to time a network of any shape: they contain nothing to learn.
/// Both depend on seed and row only; nothing is stored.
/// Example: const synthetic::random_samples data({.count = 1000, .sample = {224, 224, 3}, .classes = 1000});
class random_samples final : public ridgepoint::dataset {
 public:
  struct options {
    index_t count;
    shape sample;
    index_t classes;
    std::uint64_t seed = 42;
  };
  /// Throws: value_error for no samples, no classes, or more than an int counts; shape_error for samples without
  /// values.
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

/// Random sequences of tokens, with the next tokens as targets, to time a language model of any extents: they contain
/// nothing to learn. They depend on seed and row only; nothing is stored.
/// Example: const synthetic::random_tokens data({.count = 1000, .length = 50, .vocabulary = 512});
class random_tokens final : public ridgepoint::dataset {
 public:
  struct options {
    index_t count;
    index_t length;      // of a sequence, and of its targets
    index_t vocabulary;  // exclusive bound of the tokens
    std::uint64_t seed = 42;
  };
  /// Throws: value_error for no sequences, no tokens, or a vocabulary that is not 1 to 2²⁴, because data sets return
  /// ids as floats.
  explicit random_tokens(const options& o) : options_(o) {
    constexpr index_t most = index_t{1} << 24;
    require<value_error>(o.count >= 1 && o.length >= 1, "random_tokens: count is ", o.count, " and length ", o.length,
                         "; must be >= 1");
    require<value_error>(1 <= o.vocabulary && o.vocabulary <= most, "random_tokens: vocabulary is ", o.vocabulary,
                         "; must be 1 to ", most);
  }

  [[nodiscard]] index_t size() const override { return options_.count; }
  [[nodiscard]] shape sample_shape() const override { return {options_.length}; }
  [[nodiscard]] shape target_shape() const override { return {options_.length}; }
  [[nodiscard]] int classes() const override { return static_cast<int>(options_.vocabulary); }
  [[nodiscard]] gathering gathered() const override { return gathering::on_any_threads; }
  void gather(std::span<const index_t> rows, float* x, std::int32_t* next) const override {
    for (const index_t row : rows) {
      random_stream random(options_.seed, static_cast<std::uint64_t>(row));
      const auto draw = [&] { return random.below(static_cast<std::uint32_t>(options_.vocabulary)); };
      std::uint32_t token = draw();
      for (index_t t = 0; t < options_.length; ++t) {
        *x++ = static_cast<float>(token);
        token = draw();
        *next++ = static_cast<std::int32_t>(token);
      }
    }
  }

 private:
  options options_;
};

}  // namespace synthetic
