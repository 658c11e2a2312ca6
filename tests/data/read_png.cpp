// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/png.hpp>
#include <support/png.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;
using namespace std::string_literals;

namespace {
struct one_file {
  temporary_directory there;

  explicit one_file(const std::string& bytes) { write_bytes(there / "image.png", bytes); }
  [[nodiscard]] rp::grey_image read(const rp::png_limits& limits = {}) const {
    return rp::read_png(there / "image.png", limits);
  }
  void refused(const char* because, const rp::png_limits& limits = {}) const {
    CHECK_THROWS_WITH_AS(static_cast<void>(read(limits)), doctest::Contains(because), rp::data_error);
    CHECK_THROWS_WITH(static_cast<void>(read(limits)), doctest::Contains("image.png: "));
  }
};
const std::string two_rows = "\0\x01\x02\x03\0\x04\x05\x06"s;  // three pixels per row
}  // namespace

TEST_CASE("grey images are read as their bytes, whatever other chunks the file has") {
  const rp::grey_image wanted{2, 3, {1, 2, 3, 4, 5, 6}};
  CHECK(one_file(png::file({.width = 3, .height = 2}, two_rows)).read() == wanted);
  CHECK(one_file(png::file({.width = 3, .height = 2}, "\x01\x01\x01\x01\x02\x03\x03\x03"s)).read() ==
        wanted);  // filtered
  const std::string ancillary = png::chunk("gAMA", png::big_endian(100'000)) + png::chunk("tEXt", "Title\0mouse"s) +
                                png::chunk("tRNS", "\0\x02"s) + png::chunk("abCd", "?");
  CHECK(one_file(png::file({.width = 3, .height = 2}, two_rows, ancillary)).read() == wanted);
  CHECK(one_file(png::file({.width = 3, .height = 2}, two_rows) + "what follows").read() == wanted);
}

TEST_CASE("interlaced images are read in seven passes") {
  // 3 × 2: one pixel of the first pass, one of the fourth, one of the sixth, three of the seventh.
  const rp::grey_image wanted{2, 3, {1, 2, 3, 4, 5, 6}};
  CHECK(one_file(png::file({.width = 3, .height = 2, .interlaced = 1}, "\0\x01\0\x03\0\x02\0\x04\x05\x06"s)).read() ==
        wanted);
}

TEST_CASE("colours become greys by luminance") {
  const rp::grey_image seen =
      one_file(png::file({.width = 4, .height = 1, .colour = 2}, "\0\xff\0\0\0\xff\0\0\0\xff\x0a\x0a\x0a"s)).read();
  CHECK(seen == rp::grey_image{1, 4, {76, 150, 29, 10}});
}

TEST_CASE("other depths, palettes and alpha channels are refused") {
  one_file(png::file({.depth = 16}, "\0\0\0"s)).refused("has 16 bits a channel; must have 8");
  one_file(png::file({.depth = 1}, "\0\0"s)).refused("has 1 bits a channel; must have 8");
  one_file(png::file({.colour = 3}, "\0\0"s, png::chunk("PLTE", "abc"))).refused("has a palette or an alpha channel");
  one_file(png::file({.colour = 4}, "\0\0\0"s)).refused("(colour type 4); must be grey (0) or of three colours (2)");
  one_file(png::file({.colour = 6}, "\0\0\0\0\0"s)).refused("colour type 6");
}

TEST_CASE("an image that is too large is refused before any allocation") {
  const one_file file(png::file({.width = 3, .height = 2}, two_rows));
  file.refused("is 2 x 3 pixels; must be at most 1 x 3", {.height = 1, .width = 3});
  file.refused("is 2 x 3 pixels; must be at most 2 x 2", {.height = 2, .width = 2});
  CHECK_NOTHROW(static_cast<void>(file.read({.height = 2, .width = 3})));
  one_file(png::file({.width = 4097, .height = 1}, two_rows))
      .refused("is 1 x 4097 pixels; must be at most 4096 x 4096");
  one_file(png::file({.width = 4096, .height = 4096}, two_rows)).refused("cannot be packed in ");
  one_file(png::file({.width = 0x7fffffff, .height = 0x7fffffff}, two_rows)).refused("must be complete");
  one_file(png::file({.width = 0, .height = 1}, two_rows)).refused("cut off, corrupt or no PNG file");
}

TEST_CASE("truncated, corrupt and other files are refused") {
  const std::string whole = png::file({.width = 3, .height = 2}, two_rows);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    one_file(whole.substr(0, size)).refused("must be complete");
  }
  one_file("GIF89a, really").refused("cut off, corrupt or no PNG file: Not a PNG file");
  std::string wrong_sum = whole;
  wrong_sum[30] = static_cast<char>(wrong_sum[30] ^ 1);  // in the header
  one_file(wrong_sum).refused("CRC");
  one_file(png::file({.width = 3, .height = 2}, two_rows.substr(0, 5))).refused("must be complete");  // too few rows
  one_file(png::signature + png::ihdr({}) + png::end).refused("must be complete");
  one_file(png::file({.width = 3, .height = 2}, "\x05"s + two_rows.substr(1))).refused("must be complete");  // filter 5
  const temporary_directory there;
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::read_png(there / "absent")), doctest::Contains("no such file"),
                       rp::data_error);
  CHECK_THROWS_AS(static_cast<void>(rp::read_png(there.path())), rp::data_error);
}
