// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <string>

#include <ridgepoint/core/error.hpp>

#include "fake/fake.hpp"

/// Whichever of the calls after the first `before_them` of body(), up to `calls`, fails, it is told, and everything is
/// given back.
template <class Body>
void check_every_failure(int before_them, int calls, const Body& body) {
  const std::string before = fake::living();
  for (int failing = before_them + 1; failing <= calls; ++failing) {
    fake::reset(failing);
    std::string said;
    try {
      body();
    } catch (const ridgepoint::error& e) {
      said = e.what();
    }
    CAPTURE(failing);
    CAPTURE(fake::calls().at(static_cast<std::size_t>(failing - 1)));
    CHECK(fake::has_failed());
    CHECK(!said.empty());
    CHECK(fake::living() == before);
  }
  fake::reset();
}
/// Whichever of the first `calls` calls does.
template <class Body>
void check_every_failure(int calls, const Body& body) {
  check_every_failure(0, calls, body);
}
