// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Sequences of tokens drawn at random, of which the targets are the next ones, to time a language model of any extents
/// with: there is nothing in them to learn. They depend on seed and row alone; nothing is stored.
/// Example: const rp::random_tokens data({.count = 1000, .length = 50, .vocabulary = 512});
class random_tokens final : public dataset {
 public:
  struct options {
    index_t count;
    index_t length;      // of a sequence, and of its targets
    index_t vocabulary;  // tokens are below it
    std::uint64_t seed = 42;
  };
  /// Throws: value_error for no sequence, no token, or a vocabulary that is not 1 to 2²⁴, for data sets give ids as
  /// floats.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
