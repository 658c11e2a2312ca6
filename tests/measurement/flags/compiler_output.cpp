// SPDX-License-Identifier: MIT
#include "measurement/flags/compiler_output.hpp"

#include <doctest/doctest.h>

TEST_CASE("the first line with an error is the reason") {
  CHECK(measurement::first_complaint("In file included from error.hpp:7:\na.cpp:3:1: error: no\nb: error: also no\n") ==
        "a.cpp:3:1: error: no");
  CHECK(measurement::first_complaint(
            "/usr/bin/ld: a.o: in function f:\na.cpp:(.text+0x1): undefined reference to `g'\n") ==
        "a.cpp:(.text+0x1): undefined reference to `g'");
  CHECK(measurement::first_complaint("\nsomething\nelse\n") == "something");
  CHECK(measurement::first_complaint("").empty());
}

TEST_CASE("errors of a build tool: without the commands that it prints, and with full CMake messages") {
  CHECK(
      measurement::first_build_complaint("FAILED: a.o\nc++ -Werror -DX a.cpp\n  a.cpp:3:1: error: no [-Werror=no]\n") ==
      "a.cpp:3:1: error: no [-Werror=no]");
  CHECK(measurement::first_build_complaint(
            "c++ -Werror a.o\nld: a.o: undefined reference to `g'\ncollect2: error: ld\n") ==
        "ld: a.o: undefined reference to `g'");
  CHECK(measurement::first_build_complaint(
            "-- Detecting\nCMake Error at CMakeLists.txt:2 (find_package):\n  There is no\n"
            "  Nonesuch\n\nCall Stack\n") == "CMake Error at CMakeLists.txt:2 (find_package): There is no Nonesuch");
  CHECK(measurement::first_build_complaint(
            "CMake Error at a.cmake:1 (message):\n  is not able\n\n    c++: error: no\n") == "c++: error: no");
  CHECK(measurement::first_build_complaint("\nsomething\nelse\n") == "something");
}

TEST_CASE("dependencies of a rule") {
  const auto files = measurement::dependencies_of("a.o: /x/a.cpp /usr/b\\ c.h \\\n  d$$.h e\\#.h\n");
  CHECK(files == std::vector<std::string>{"/x/a.cpp", "/usr/b c.h", "d$.h", "e#.h"});
  CHECK(measurement::dependencies_of("").empty());
  CHECK(measurement::dependencies_of("nothing").empty());
  CHECK(measurement::dependencies_of("a: b\\") == std::vector<std::string>{"b\\"});
}
