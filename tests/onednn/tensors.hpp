// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "operands.hpp"
#include "support/random_tensor.hpp"

namespace test {

using ridgepoint::tensor;

/// Returns `size` values in [low, high).
inline tensor<float> values(index_t size, std::uint64_t seed, double low = -1, double high = 1) {
  return random_tensor<float>({size}, seed, low, high);
}
/// Returns `size` NaN: memory that must be overwritten.
inline tensor<float> unwritten(index_t size) {
  tensor<float> t({size});
  for (float& v : t.values()) v = std::numeric_limits<float>::quiet_NaN();
  return t;
}
inline tensor<float> magnitudes(const tensor<float>& of) {
  tensor<float> result({of.size()});
  for (index_t i = 0; i < of.size(); ++i) result[i] = std::abs(of[i]);
  return result;
}
/// Checks that no element of got is further from expected than bound(i).
template <class Bound>
void check_within(const char* what, const tensor<float>& got, const tensor<float>& expected, const Bound& bound) {
  index_t wrong = 0, first = -1;
  for (index_t i = 0; i < got.size(); ++i) {
    const double difference = std::abs(static_cast<double>(got[i]) - static_cast<double>(expected[i]));
    if (!(difference <= bound(i) + 1e-30) && wrong++ == 0) first = i;
  }
  CHECK_MESSAGE(wrong == 0, what << ": " << wrong << " of " << got.size() << " elements are wrong, the first at "
                                 << first << ": " << (first < 0 ? 0.0F : got[first]) << "; must be "
                                 << (first < 0 ? 0.0F : expected[first]) << " +- " << (first < 0 ? 0.0 : bound(first)));
}
/// Checks that two sums of `products` terms in any order are within their rounding bound. scale holds the sums of
/// magnitudes.
inline void check_sums(const char* what, const tensor<float>& got, const tensor<float>& expected,
                       const tensor<float>& scale, index_t products, double more = 0) {
  check_within(what, got, expected,
               [&](index_t i) { return gamma(products + 2) * static_cast<double>(scale[i]) + more; });
}

}  // namespace test
