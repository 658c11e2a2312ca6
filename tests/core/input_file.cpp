// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <sys/stat.h>

#include <ridgepoint/core/files.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

TEST_CASE("an input file reports its size and returns its bytes") {
  const temporary_directory there;
  write_bytes(there / "a", "hello");
  rp::input_file file(there / "a");
  CHECK(file.size_bytes() == 5);
  CHECK(file.name() == (there / "a").string());
  char text[8] = {};
  CHECK(file.read(text, 0) == 0);
  CHECK(file.read(text, 2) == 2);
  CHECK(file.read(text, 8) == 3);
  CHECK(std::string(text) == "llo");
  CHECK(file.read(text, 8) == 0);
  CHECK(rp::read_file(there / "a", 5) == "hello");
}

TEST_CASE("an input file refuses anything but an ordinary file") {
  const temporary_directory there;
  REQUIRE(::mkfifo((there / "pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH_AS(rp::input_file(there / "pipe"), doctest::Contains("not an ordinary file"), rp::data_error);
  CHECK_THROWS_WITH_AS(rp::input_file(there.path()), doctest::Contains("not an ordinary file"), rp::data_error);
  CHECK_THROWS_WITH_AS(rp::input_file("/dev/zero"), doctest::Contains("not an ordinary file"), rp::data_error);
  CHECK_THROWS_WITH_AS(rp::input_file(there / "none"), doctest::Contains("none: no such file"), rp::data_error);
  CHECK_THROWS_WITH_AS(rp::input_file(there / "none" / "deeper"), doctest::Contains("no such file"), rp::data_error);
  CHECK_THROWS_AS(rp::input_file(""), rp::data_error);
}

TEST_CASE("read_file refuses a file above its limit before reading it") {
  const temporary_directory there;
  write_bytes(there / "huge", "");
  std::filesystem::resize_file(there / "huge", std::uintmax_t{1} << 40);  // a sparse file: takes no space
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::read_file(there / "huge", 1 << 20)),
                       doctest::Contains("has 1099511627776 bytes; must have at most 1048576"), rp::data_error);
}
