// SPDX-License-Identifier: MIT
// A separate test, because NVRTC takes most of a minute for all kernels.
#include <doctest/doctest.h>

#include "without_spills.hpp"

TEST_CASE("device code compiles for Turing without a spill") { check_all_without_spills("sm_75"); }
