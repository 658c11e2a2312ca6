// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <thread>

#include <ridgepoint/core/exclusive.hpp>

namespace rp = ridgepoint;

namespace {
/// Returns whether another thread can enter.
bool another_enters(rp::exclusive& door) {
  bool entered = true;
  std::thread([&] {
    try {
      const rp::exclusive::use held = door.enter("toy");
    } catch (const rp::value_error& e) {
      CHECK(std::string(e.what()) == "toy: another thread is inside; must be used by one at a time");
      entered = false;
    }
  }).join();
  return entered;
}
}  // namespace

TEST_CASE("one thread at a time enters, recursively") {
  rp::exclusive door;
  CHECK(another_enters(door));
  {
    const rp::exclusive::use outer = door.enter("toy");
    CHECK(!another_enters(door));
    { const rp::exclusive::use inner = door.enter("toy"); }
    CHECK(!another_enters(door));
    rp::exclusive copy = door;
    CHECK(another_enters(copy));
    copy = door;
    CHECK(another_enters(copy));
  }
  CHECK(another_enters(door));
}
