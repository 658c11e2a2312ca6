// SPDX-License-Identifier: MIT
#include "measurement/flags/rule.hpp"

#include <doctest/doctest.h>

namespace rp = ridgepoint;

TEST_CASE("a rule names a row, a set and a bound") {
  const measurement::rule r = measurement::parse_rule("gemm/1024: avx2+fma/base >= 2.0");
  CHECK(r.row == "gemm/1024");
  CHECK(r.set == "avx2+fma");
  CHECK(r.at_least);
  CHECK(r.bound == 2);
  CHECK(r.is_for("gemm/1024", "avx2+fma"));
  CHECK(!r.is_for("gemm/1024", "avx"));
  CHECK(!r.is_for("gemm", "avx2+fma"));
  CHECK(r.holds(2));
  CHECK(!r.holds(1.99));
  const measurement::rule odd = measurement::parse_rule("f<a: /base >: 2/threads:2: O3/base <= 1e1");
  CHECK(odd.row == "f<a: /base >: 2/threads:2");
  CHECK(odd.set == "O3");
  CHECK(!odd.at_least);
  CHECK(odd.holds(10));
  CHECK(!odd.holds(11));
  CHECK(measurement::parse_rule("all: a/base >= 1").is_for("whatever", "a"));
}

TEST_CASE("a rule of accuracy applies to every set") {
  const measurement::rule r = measurement::parse_rule("gemm: 2: accuracy <= 4 ulp");
  CHECK(r.row == "gemm: 2");
  CHECK(r.is_of_accuracy());
  CHECK(r.is_for("gemm: 2", "avx"));
  CHECK(!r.is_for("gemm", "avx"));
  CHECK(r.holds(4));
  CHECK(!r.holds(4.1));
  CHECK(measurement::parse_rule("all: accuracy <= 0.5 ulp").is_for("whatever", "a"));
}

TEST_CASE("invalid rules are refused") {
  for (const char* text : {"", "gemm", "gemm: avx2 >= 2", "gemm: avx2/base > 2", "gemm: avx2/base >= ", "x: /base >= 2",
                           ": avx2/base >= 2", "gemm: avx2/base >= 2x", "gemm: avx2/base >= -1", "a: b/base >= nan",
                           "a: b/base >= 0x2", "a: b/base >= 02", "a: accuracy <= 4", "a: accuracy >= 4 ulp",
                           ": accuracy <= 4 ulp", "a: accuracy <=  ulp", "a: accuracy <= ulp", "a: accuracy <= 0 ulp"})
    CHECK_THROWS_WITH_AS(
        static_cast<void>(measurement::parse_rule(text)),
        (std::string("rule: '") + text +
         "'; must be '<row>: <set>/base >= <number>', or <=, or '<row>: accuracy <= <number> ulp', where <row> may be "
         "all")
            .c_str(),
        rp::value_error);
}
