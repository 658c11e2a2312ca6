// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/openmp_runtime.hpp>

// Processes with a runtime: tests/onednn/onednn.cpp.
TEST_CASE("a process without OpenMP libraries has no OpenMP runtime") { CHECK(!ridgepoint::openmp_runtime().found()); }
