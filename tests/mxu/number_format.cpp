// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/mxu.hpp>

#include <doctest/doctest.h>

namespace rp = ridgepoint;
namespace sys = ridgepoint::systolic;

TEST_CASE("formats and their names") {
  for (const sys::number_format f : sys::number_formats) CHECK(sys::number_format_of(to_string(f)) == f);
  CHECK_THROWS_WITH_AS(static_cast<void>(sys::number_format_of("fp8")), doctest::Contains("must be bf16, int8 or fp32"),
                       rp::value_error);
}

TEST_CASE("each format has its type") {
  const auto bytes = [](sys::number_format f) {
    return sys::with_format(f, []<class Format>() { return sizeof(Format); });
  };
  CHECK(bytes(sys::number_format::bf16) == 2);
  CHECK(bytes(sys::number_format::int8) == 1);
  CHECK(bytes(sys::number_format::fp32) == 4);
}
