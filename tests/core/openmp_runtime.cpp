// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/openmp_runtime.hpp>

// What it does in a process that has a runtime: tests/onednn/onednn.cpp.
TEST_CASE("a process whose libraries bring no OpenMP has none") { CHECK(!ridgepoint::openmp_runtime().found()); }
