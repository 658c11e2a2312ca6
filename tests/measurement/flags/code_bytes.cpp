// SPDX-License-Identifier: MIT
#include "measurement/flags/code_bytes.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

TEST_CASE("the code of this program has a size; a file that is not a program has none") {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(in), {}};
  const std::uint64_t bytes = measurement::code_bytes(file);
  CHECK(bytes > 1000);
  CHECK(bytes < file.size());
  CHECK(measurement::code_bytes("") == 0);
  CHECK(measurement::code_bytes("#!/bin/sh\n") == 0);
  for (std::size_t length = 0; length < 2000; length += 7)
    CHECK(measurement::code_bytes(std::string_view(file).substr(0, length)) == 0);
}
