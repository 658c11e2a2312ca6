// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>

#include <ridgepoint/data/embryos.hpp>
#include <support/allocations.hpp>
#include <support/mutate.hpp>
#include <support/png.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;
using namespace std::string_literals;

namespace {

const std::array<std::string, 7> png_words{
    "IHDR"s, "IDAT"s, "IEND"s, "tEXt"s, "iCCP"s, "\0\0\0\x0d"s, "\x08\x02\0\0\x01"s};

/// Reads a file: either succeeds or throws a data_error that names it. Checks memory ≤ that of its pixels + 256 KiB.
void read_hostile_png(const temporary_directory& there, const std::string& bytes, int& taken, int& refused) {
  write_bytes(there / "file", bytes);
  allocations::reset();
  const std::size_t before = allocations::live();
  std::size_t pixels = 0;
  try {
    const rp::grey_image image = rp::read_png(there / "file");
    ++taken;
    pixels = image.pixels.size();
    CHECK(pixels == static_cast<std::size_t>(image.height * image.width));
  } catch (const rp::data_error& refusal) {
    ++refused;
    CHECK(std::string_view(refusal.what()).find("file") != std::string_view::npos);
  }
  CHECK(allocations::peak() - before <= std::max(4 * pixels, 1032 * bytes.size()) + (std::size_t{1} << 18));
  CHECK(allocations::live() <= before + 512);  // no leak; the caught message may still be alive
}

/// Files: one of 5 × 4 pixels with a text, and an interlaced colour one of 3 × 3.
std::string grey_file() {
  std::string rows;
  for (int y = 0; y < 4; ++y) rows += std::string{static_cast<char>(y), 10, 20, 30, 40, static_cast<char>(50 * y)};
  return png::file({.width = 5, .height = 4}, rows, png::chunk("tEXt", "Comment\0mouse"s));
}
std::string colour_file() {
  return png::file({.width = 3, .height = 3, .colour = 2, .interlaced = 1}, "\0abc\0def\0ghi\0jkl\0mno\0pqrstuvwx"s);
}

}  // namespace

TEST_CASE("damaged PNG files: no crash, no leak, bounded memory") {
  const temporary_directory there;
  int count = 0, taken = 0, refused = 0;
  for (const std::string& original : {grey_file(), colour_file()})
    count +=
        mutate::for_each(original, 3000, png_words, [&](const auto& m) { read_hostile_png(there, m, taken, refused); });
  CHECK(count >= 7000);
  CHECK(taken + refused == count);
  CHECK(taken > 50);  // flips in a text leave the pixels
  CHECK(refused > 5000);
  MESSAGE(count, " mutants, ", taken, " read, ", refused, " refused");
}

TEST_CASE("PNG files damaged before compression, with valid checksums: no crash, bounded memory") {
  const temporary_directory there;
  const std::string header("\0\0\0\x05\0\0\0\x04\x08\0\0\0\0", 13), rows(24, '\x01');
  int count = 0, taken = 0, refused = 0;
  const auto read = [&](const std::string& ihdr, const std::string& pixels) {
    read_hostile_png(there,
                     png::signature + png::chunk("IHDR", ihdr) + png::chunk("IDAT", png::deflated(pixels)) + png::end,
                     taken, refused);
  };
  count += mutate::for_each(header, 2000, png_words, [&](const auto& mutant) { read(mutant, rows); });
  count += mutate::for_each(rows, 1000, png_words, [&](const auto& mutant) { read(header, mutant); });
  const std::string packed = png::deflated(rows);
  count += mutate::for_each(packed, 1000, png_words, [&](const auto& mutant) {
    read_hostile_png(there, png::signature + png::chunk("IHDR", header) + png::chunk("IDAT", mutant) + png::end, taken,
                     refused);
  });
  CHECK(count >= 4000);
  CHECK(taken + refused == count);
  CHECK(taken > 100);
  CHECK(refused > 2000);
  MESSAGE(count, " mutants, ", taken, " read, ", refused, " refused");
}

TEST_CASE("a file of many pixels in few bytes takes no more than its pixels") {
  const temporary_directory there;
  int taken = 0, refused = 0;
  const std::string black(4096 * 4097, '\0');
  read_hostile_png(there, png::file({.width = 4096, .height = 4096}, black), taken, refused);
  CHECK(taken == 1);
  read_hostile_png(there, png::file({.width = 4096, .height = 4096}, std::string_view(black).substr(4097)), taken,
                   refused);
  CHECK(refused == 1);
  const std::string text = "Title\0\0"s + png::deflated(std::string(std::size_t{1} << 26, 'x'));  // expands to 64 MB
  read_hostile_png(there, png::file({}, "\0\x07"s, png::chunk("zTXt", text)), taken, refused);
  CHECK(taken == 2);
}

TEST_CASE("a damaged tree of embryos gives samples of its four classes, or a data_error") {
  const temporary_directory there;
  std::string rows;
  for (int y = 0; y < 8; ++y) rows += std::string(1, '\0') + std::string(8, static_cast<char>(31 * y));
  const std::string image = png::file({.width = 8, .height = 8}, rows);
  for (const char* cells : {"1", "2", "3", "4"}) {
    std::filesystem::create_directory(there / cells);
    for (const char* name : {"E1.png", "E5.png"}) write_bytes(there / cells / name, image);
  }
  constexpr rp::embryo_options options{.pixels = 8, .clipped = 6, .side = 3, .angles = 2};
  int taken = 0, refused = 0;
  mutate::at_random(image, 500, png_words, [&](const std::string& mutant) {
    write_bytes(there / "3" / "E1.png", mutant);
    try {
      const rp::embryo_data data = rp::embryos(there.path(), options);
      ++taken;
      CHECK(data.train.size() == 8);
      CHECK(data.test.size() == 4);
    } catch (const rp::data_error& refusal) {
      ++refused;
      CHECK(std::string_view(refusal.what()).find("E1.png") != std::string_view::npos);
    }
  });
  CHECK(taken > 10);
  CHECK(refused > 300);
}
