// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/study/target.hpp>

/// Lines of a target's result.
using lines = std::vector<std::string>;

/// Returns the lines whose demand is not met.
inline lines falling_short(const ridgepoint::study::target_result& r) {
  lines names;
  for (const ridgepoint::study::comparison& c : r.lines)
    if (!c.holds()) names.push_back(c.what);
  return names;
}

/// Returns the line with this name.
inline const ridgepoint::study::comparison& line(const ridgepoint::study::target_result& r, std::string_view what) {
  for (const ridgepoint::study::comparison& c : r.lines)
    if (c.what == what) return c;
  FAIL("no line is named " << what);
  return r.lines.front();
}
inline ridgepoint::study::evidence basis_of(const ridgepoint::study::target_result& r, std::string_view what) {
  return line(r, what).basis;
}
