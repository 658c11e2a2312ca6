// SPDX-License-Identifier: MIT
#include "measurement/same_file.hpp"

#include <doctest/doctest.h>

#include "support/temporary_directory.hpp"

namespace fs = std::filesystem;
using measurement::same_file;

TEST_CASE("same_file: other names, symbolic and hard links") {
  const temporary_directory there;
  write_bytes(there / "x", "x");
  write_bytes(there / "y", "x");
  fs::create_directory(there / "inner");
  fs::create_symlink("x", there / "link");
  fs::create_symlink(there / "link", there / "link_to_link");
  fs::create_hard_link(there / "x", there / "hard");
  fs::create_directory_symlink(there.path(), there / "inner" / "back");
  for (const char* name : {"x", "./x", "inner/../x", "inner/back/x", "link", "link_to_link", "hard"}) {
    CAPTURE(name);
    CHECK(same_file(there / "x", there / name));
    CHECK(same_file(there / name, there / "x"));
  }
  CHECK(!same_file(there / "x", there / "y"));
  CHECK(!same_file(there / "x", there / "absent"));
  CHECK(!same_file(there / "inner", there / "inner"));
  CHECK(!same_file("/dev/null", "/dev/null"));
}

TEST_CASE("same_file: files that do not exist yet") {
  const temporary_directory there;
  fs::create_directory(there / "inner");
  fs::create_symlink("new", there / "link");
  fs::create_symlink("circle", there / "circle");
  for (const char* name : {"new", "./new", "inner/../new", "link"}) {
    CAPTURE(name);
    CHECK(same_file(there / "new", there / name));
  }
  CHECK(!same_file(there / "new", there / "inner/new"));
  CHECK(!same_file(there / "new", there / "newer"));
  CHECK(!same_file(there / "new", there / "circle"));
  CHECK(same_file("new", "./new"));
}
