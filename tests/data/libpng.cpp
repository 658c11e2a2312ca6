// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <string>

#include <ridgepoint/data/png.hpp>

namespace rp = ridgepoint;
using rp::detail::png_complaint;

TEST_CASE("an error in libpng is reported with its message, truncated if long; success is reported as success") {
  png_complaint complaint;
  png_structp png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, &complaint, png_complaint::fail, png_complaint::ignore);
  REQUIRE(png != nullptr);
  int done = 0;
  CHECK(rp::detail::png_succeeds(png, [&] { ++done; }));
  CHECK_FALSE(rp::detail::png_succeeds(png, [&] {
    ++done;
    png_error(png, "no such luck");
    ++done;
  }));
  CHECK(done == 2);
  CHECK(complaint.what() == "no such luck");
  static const std::string long_words(500, 'x');
  CHECK_FALSE(rp::detail::png_succeeds(png, [&] { png_error(png, long_words.c_str()); }));
  CHECK(complaint.what().size() == 95);
  CHECK(rp::detail::png_succeeds(png, [&] { png_warning(png, "never mind"); }));
  png_destroy_read_struct(&png, nullptr, nullptr);
}
