// SPDX-License-Identifier: MIT
#include "measurement/flags/cpu_features.hpp"

#include <doctest/doctest.h>

TEST_CASE("the compiler's macros give the required CPU features") {
  const auto macros =
      measurement::defined_macros("#define __AVX__ 1\n#define __AVX2__ 1\n#define F(x) x\n\n#undef X\n");
  CHECK(macros.contains("__AVX2__"));
  CHECK(measurement::lacking_features(macros, "fpu avx avx2").empty());
  CHECK(measurement::lacking_features(macros, "fpu avx2 ssse3") == std::vector<std::string>{"avx"});
  CHECK(measurement::lacking_features({}, "").empty());
}

TEST_CASE("a flag that another flag overrides is named") {
  CHECK(measurement::revoked_flags({"-mavx2", "-mno-avx"}, {"__SSE3__"}) == std::vector<std::string>{"-mavx2"});
  CHECK(measurement::revoked_flags({"-mavx2", "-O3"}, {"__AVX2__"}).empty());
}
