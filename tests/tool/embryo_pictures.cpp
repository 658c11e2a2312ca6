// SPDX-License-Identifier: MIT
#include "ridgepoint/embryo_pictures.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <support/random_image.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

namespace {

std::string from_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned held = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    held = held << 6 | static_cast<unsigned>(digits.find(c));
    if ((bits += 6) >= 8) bytes += static_cast<char>(held >> (bits -= 8) & 255);
  }
  return bytes;
}
/// Returns the images embedded in a page.
std::vector<rp::grey_image> images_of(const std::string& page) {
  const temporary_directory there;
  std::vector<rp::grey_image> all;
  constexpr std::string_view start = "data:image/png;base64,";
  for (std::size_t at = 0; (at = page.find(start, at)) != std::string::npos;) {
    at += start.size();
    write_bytes(there / "image.png", from_base64(std::string_view(page).substr(at, page.find('\'', at) - at)));
    all.push_back(rp::read_png(there / "image.png"));
  }
  return all;
}

}  // namespace

TEST_CASE("base64 is that of RFC 4648") {
  CHECK(tool::base64("").empty());
  CHECK(tool::base64("f") == "Zg==");
  CHECK(tool::base64("fo") == "Zm8=");
  CHECK(tool::base64("foo") == "Zm9v");
  CHECK(tool::base64("foobar") == "Zm9vYmFy");
  CHECK(tool::base64("\xff\xfe\xfd") == "//79");
}

TEST_CASE("a page shows a training image of each class from the file to the sample") {
  const temporary_directory there;
  for (int cells = 1; cells <= 4; ++cells) {
    std::filesystem::create_directory(there / std::to_string(cells));
    for (const int embryo : {5, 7, 8})  // 5 is for testing
      write_bytes(there / rp::concat(cells, "/E", embryo, ".png"),
                  synthetic::pack_png(random_image(480, 480, static_cast<std::uint64_t>(10 * cells + embryo))));
  }
  const std::string page = tool::embryo_section(there.path());
  const std::vector<rp::grey_image> shown = images_of(page);
  REQUIRE(shown.size() == 4 * 5);
  for (std::size_t cells = 1; cells <= 4; ++cells) {
    CHECK(page.find(rp::concat(cells, "/E7.png</h3>")) != std::string::npos);
    const rp::grey_image file = random_image(480, 480, static_cast<std::uint64_t>(10 * cells + 7));
    const auto stages = rp::embryo_stages(file);
    const rp::grey_image* const of_class = shown.data() + 5 * (cells - 1);
    CHECK(of_class[0] == rp::resize_image(file, 160, 160));
    for (std::size_t i = 0; i < 3; ++i) CHECK(of_class[i + 1] == rp::resize_image(stages[i], 160, 160));
    CHECK(of_class[4] == stages[3]);
    CHECK(of_class[4].width == 64);
  }
  CHECK_THROWS_AS(static_cast<void>(tool::embryo_section(there / "absent")), rp::data_error);
}
