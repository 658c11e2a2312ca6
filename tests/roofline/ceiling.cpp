// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/machine.hpp>

#include "synthetic.hpp"

namespace rp = ridgepoint;

TEST_CASE("a ceiling names its dtype, op, ISA and threads") {
  CHECK(to_string(synthetic::compute("f32", "avx2", 1, 1)) == "f32 fma avx2, 1 thread");
  CHECK(to_string(synthetic::memory("L2", 0, 2, 1)) == "L2 load, 2 threads");
  CHECK(to_string(synthetic::memory("HBM", 0, 0, 1)) == "HBM load");
  CHECK(to_string(rp::ceiling_kind::bandwidth) == "bandwidth");
}
