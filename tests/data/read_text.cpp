// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/text_corpus.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

TEST_CASE("a text is the bytes of its file without the byte order mark") {
  const temporary_directory there;
  for (const char* text : {"", "grün\r\n", "a\xEF\xBB\xBF"}) {
    write_bytes(there / "text", text);
    CHECK(rp::read_text(there / "text", 100) == text);
    write_bytes(there / "text", std::string("\xEF\xBB\xBF") + text);
    CHECK(rp::read_text(there / "text", 100) == text);
  }
}

TEST_CASE("a file that is missing, too large or not UTF-8 is refused with the position of the first invalid byte") {
  const temporary_directory there;
  const std::string path = there / "text";
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::read_text(path, 9)), doctest::Contains("no such file"), rp::data_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::read_text(there.path(), 9)), doctest::Contains("not an ordinary file"),
                       rp::data_error);
  write_bytes(path, "0123456789");
  CHECK(rp::read_text(path, 10).size() == 10);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::read_text(path, 9)),
                       (path + ": has 10 bytes; must have at most 9").c_str(), rp::data_error);
  write_bytes(path,
              "Stra\xDF"
              "e");
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::read_text(path, 9)),
                       (path + ": is not UTF-8 from byte 4 on, 0xdf; must be UTF-8").c_str(), rp::data_error);
  write_bytes(path, "Gr\xC3\xBC\xC3");
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::read_text(path, 9)), doctest::Contains("from byte 4 on, 0xc3"),
                       rp::data_error);
}
