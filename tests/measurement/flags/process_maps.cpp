// SPDX-License-Identifier: MIT
#include "measurement/flags/process_maps.hpp"

#include <doctest/doctest.h>

TEST_CASE("executable ranges of a process and their files") {
  const auto maps = measurement::executable_maps(
      "55d0a0000000-55d0a0001000 r--p 00000000 fe:00 1234                       /tmp/my program\n"
      "55d0a0001000-55d0a0003000 r-xp 00001000 fe:00 1234                       /tmp/my program\n"
      "7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n"
      "7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                          [vdso]\n");
  REQUIRE(maps.size() == 3);
  CHECK(maps[0].file == "/tmp/my program");
  CHECK(maps[0].offset == 0x1000);
  CHECK(maps[1].file == "");
  CHECK(maps[2].file == "[vdso]");
  CHECK(measurement::map_at(maps, 0x55d0a0001000) == &maps[0]);
  CHECK(measurement::map_at(maps, 0x55d0a0002fff) == &maps[0]);
  CHECK(measurement::map_at(maps, 0x55d0a0003000) == nullptr);
  CHECK(measurement::map_at(maps, 0) == nullptr);
}

TEST_CASE("lines that are not executable ranges are left out") {
  for (const char* line : {"", "x-y r-xp 0 0:0 0 /a", "10-20", "10+20 r-xp 0 0:0 0 /a", "20-10 r-xp 0 0:0 0 /a",
                           "10-20 r- 0 0:0 0 /a", "ffffffffffffffffff-20 r-xp 0 0:0 0 /a"})
    CHECK(measurement::executable_maps(line).empty());
}
