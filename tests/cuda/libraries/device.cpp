// SPDX-License-Identifier: MIT
// With the real libraries: uses a GPU if present; otherwise rp::cuda reports that in one line.
#include <doctest/doctest.h>

#include <string>

#include <ridgepoint/cuda/cuda.hpp>

namespace rp = ridgepoint;

TEST_CASE("a machine without a GPU reports that in one line") {
  if (rp::gpu_count() > 0) return;
  try {
    const rp::cuda on;
    FAIL("made");
  } catch (const rp::unsupported& e) {
    const std::string said = e.what();
    CHECK(said.starts_with("cuda: no GPU: cudaError"));
    CHECK(said.find('\n') == std::string::npos);
  }
}
