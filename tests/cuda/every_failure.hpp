// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <string>

#include <ridgepoint/core/error.hpp>

#include "fake/fake.hpp"

/// Whichever of the first `calls` calls of body() fails, it is told, and everything is given back.
template <class Body>
void check_every_failure(int calls, const Body& body) {
  const std::string before = fake::living();
  for (int failing = 1; failing <= calls; ++failing) {
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
