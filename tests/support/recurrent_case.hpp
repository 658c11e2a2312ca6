// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ridgepoint/ops/recurrent.hpp>

#include "support/agreement.hpp"

/// Test case of a recurrent op.
struct recurrent_case {
  ridgepoint::index_t steps, n, in, units;
  bool sample_major = false;            // as in a graph
  bool states = true;                   // h0 (and c0) are passed, and final states requested
  bool whole = true;                    // y and dy; else only the last step's
  bool backwards = false;               // from the last step in memory to the first
  std::vector<std::int32_t> mask = {};  // in the order of the sequences; empty: none

  [[nodiscard]] std::string name() const {
    return ridgepoint::concat(steps, 'x', n, 'x', in, " -> ", units, sample_major ? " sample-major" : "",
                              backwards ? " backwards" : "", states ? " with states" : "",
                              whole ? "" : ", the last step alone", mask.empty() ? "" : ", masked");
  }
  template <class T>
  [[nodiscard]] ridgepoint::sequence_view<T> sequence(T* data, ridgepoint::index_t width) const {
    const auto forwards = sample_major ? ridgepoint::sequence_view<T>::sample_major(data, steps, n, width)
                                       : ridgepoint::sequence_view<T>::time_major(data, steps, n, width);
    return backwards ? forwards.reversed() : forwards;
  }
  /// One of the functions allowed for gates; hard ones only for few steps, since their bounds grow with each step.
  [[nodiscard]] ridgepoint::activation gate() const noexcept {
    return steps < 4 && (steps + units) % 3 == 0 ? ridgepoint::activation::hard_sigmoid
                                                 : ridgepoint::activation::sigmoid;
  }
  [[nodiscard]] ridgepoint::sequence_mask steps_that_count() const {
    return mask.empty() ? ridgepoint::sequence_mask{} : sequence(mask.data(), 1);
  }
  /// Variant in which samples have, in turn, all steps, only the first, only the last, or scattered ones.
  [[nodiscard]] recurrent_case masked() const {
    using ridgepoint::index_t;
    recurrent_case c = *this;
    c.mask.assign(static_cast<std::size_t>(steps * n), 7);
    const auto counts = c.sequence(c.mask.data(), 1);
    ridgepoint::random_stream random(static_cast<std::uint64_t>(steps * n));
    for (index_t i = 0; i < n; ++i) {
      const auto length = static_cast<index_t>(random.below(static_cast<std::uint32_t>(steps + 1)));
      for (index_t t = 0; t < steps; ++t) {
        const bool skipped[] = {random.below(2) == 0, t >= length, t < length, false};
        if (skipped[i % 4]) counts(t, i, 0) = 0;
      }
    }
    return c;
  }
};
