// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include <ridgepoint/ops/run.hpp>
#include <ridgepoint/reference/reference.hpp>

/// Checks that ops refuse bad input with the expected message.
namespace bad {

inline constexpr ridgepoint::index_t huge = std::numeric_limits<ridgepoint::index_t>::max() / 2;

/// Operands to misuse; outputs go to `out`, which must stay unchanged.
struct memory {
  float a[64] = {}, b[64] = {}, c[64] = {}, d[64] = {}, out[64] = {};
};
inline memory m;

/// Checks that run(args) throws Error with `what` in its message and writes nothing.
template <class Error, class Args>
void refuses(const Args& args, const char* what) {
  std::fill(std::begin(m.out), std::end(m.out), 7.0F);
  CHECK_THROWS_WITH_AS(ridgepoint::run(ridgepoint::reference, args), doctest::Contains(what), Error);
  CHECK(std::count(std::begin(m.out), std::end(m.out), 7.0F) == 64);
}

}  // namespace bad
