// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/drawn_files.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

TEST_CASE("files are drawn if one is missing or was drawn with other options, and never replace a user's files") {
  const temporary_directory there;
  rp::detail::drawn_files files{.what = "synthetic dots",
                                .directory = there / "dots",
                                .note = "note.txt",
                                .origin = "dots, seed 1\n",
                                .names = {"a", "b"},
                                .others = {"a.gz"}};
  CHECK(rp::detail::begin_drawing(files));
  CHECK(read_bytes(there / "dots" / "note.txt") == files.origin);
  write_bytes(there / "dots" / "a", "1");
  CHECK(rp::detail::begin_drawing(files));  // b is missing
  CHECK(read_bytes(there / "dots" / "a") == "1");
  write_bytes(there / "dots" / "b", "2");
  CHECK_FALSE(rp::detail::begin_drawing(files));
  files.origin = "dots, seed 2\n";
  CHECK(rp::detail::begin_drawing(files));
  CHECK_FALSE(std::filesystem::exists(there / "dots" / "a"));
  write_bytes(there / "dots" / "a.gz", "mine");
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::detail::begin_drawing(files)),
                       doctest::Contains("holds data files of another origin; must be empty, or hold synthetic dots"),
                       rp::data_error);
  CHECK(read_bytes(there / "dots" / "a.gz") == "mine");
}
