// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

/// CHECKs each value against its expected value: equal, both NaN, or off by up to `share` of its size or `least`.
template <class T>
void check_close(const std::vector<T>& got, const std::vector<T>& want, double share, double least = 0) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto value = static_cast<double>(got[i]), exact = static_cast<double>(want[i]);
    const bool same = value == exact || (std::isnan(value) && std::isnan(exact));
    const bool near = std::isfinite(exact) && std::abs(value - exact) <= share * std::abs(exact) + least;
    CHECK_MESSAGE((same || near), "element " << i << " is " << value << "; must be " << exact);
  }
}
