// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/idx.hpp>
#include <support/gzip.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;
using namespace std::string_literals;

namespace {

const std::string images_2x3x2 =
    "\0\0\x08\x03"
    "\0\0\0\x02"
    "\0\0\0\x03"
    "\0\0\0\x02"
    "abcdefghijkl"s;
const std::string labels_3 =
    "\0\0\x08\x01"
    "\0\0\0\x03"
    "\x07\x00\x09"s;

/// Returns the error of read_idx<3> for a file with these bytes; "" if it is accepted.
std::string complaint(const std::string& bytes) {
  const temporary_directory there;
  write_bytes(there / "file", bytes);
  try {
    static_cast<void>(rp::read_idx<3>(there / "file"));
  } catch (const rp::data_error& failure) {
    const std::string text = failure.what();
    CHECK(text.rfind((there / "file").string(), 0) == 0);  // starts with the file name
    return text.substr((there / "file").string().size());
  }
  return "";
}

}  // namespace

TEST_CASE("IDX files are read, plain and gzip") {
  const temporary_directory there;
  for (const bool packed : {false, true}) {
    CAPTURE(packed);
    write_bytes(there / "images", packed ? gzip(images_2x3x2) : images_2x3x2);
    write_bytes(there / "labels", packed ? gzip(labels_3) : labels_3);
    const rp::idx images = rp::read_idx<3>(there / "images"), labels = rp::read_idx<1>(there / "labels");
    CHECK(images.shape == rp::shape{2, 3, 2});
    CHECK(std::string(images.values.begin(), images.values.end()) == "abcdefghijkl");
    CHECK(labels.shape == rp::shape{3});
    CHECK(labels.values == std::vector<std::uint8_t>{7, 0, 9});
  }
}

TEST_CASE("a written file has the exact format and reads back") {
  const temporary_directory there;
  const std::string text = "abcdefghijkl";
  const std::vector<std::uint8_t> values(text.begin(), text.end());
  rp::write_idx(there / "a", {2, 3, 2}, values);
  CHECK(read_bytes(there / "a") == images_2x3x2);

  std::vector<std::uint8_t> many(3'000'017);  // several chunks of every internal buffer
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::uint8_t>(i * i >> 7);
  rp::write_idx(there / "b", {3'000'017}, many);
  CHECK(rp::read_idx<1>(there / "b").values == many);
  write_bytes(there / "c", gzip(read_bytes(there / "b")));
  CHECK(rp::read_idx<1>(there / "c").values == many);
  const std::vector<std::uint8_t> zeros(20'000'000);  // compresses 1000 : 1
  rp::write_idx(there / "d", {20'000'000}, zeros);
  write_bytes(there / "e", gzip(read_bytes(there / "d")));
  CHECK(rp::read_idx<1>(there / "e").values == zeros);
}

TEST_CASE("an empty set is a valid IDX file") {
  CHECK(complaint("\0\0\x08\x03"
                  "\0\0\0\0"
                  "\0\0\0\x1c"
                  "\0\0\0\x1c"s) == "");
}

TEST_CASE("a wrong magic number is reported and explained") {
  const std::string rest = images_2x3x2.substr(4);
  CHECK(complaint(labels_3 + std::string(9, '\0')) ==
        ": magic is 2049: another number of dimensions; images and labels swapped?; must be 2051 (3-dimensional "
        "unsigned bytes)");
  CHECK(
      complaint(gzip("\x1f\x8b\x08\x08"s + rest)) ==
      ": magic is 529205256: gzip data inside gzip; unpack the file once; must be 2051 (3-dimensional unsigned bytes)");
  CHECK(complaint("\x03\x08\0\0"s + rest).find("little-endian order; IDX is big-endian") != std::string::npos);
  CHECK(complaint("<!DOCTYPE html><html>").find("this looks like a web page") != std::string::npos);
  CHECK(complaint("\0\0\x0d\x03"s + rest).find("magic is 3331; must be 2051") != std::string::npos);
}

TEST_CASE("the header is checked against the file size before any allocation") {
  const std::string three_terabytes =
      "\0\0\x08\x03"
      "\0\x01\0\0"
      "\0\0\x1a\0"
      "\0\0\x1c\0"s;
  CHECK(complaint(three_terabytes) ==
        ": the header promises 65536x6656x7168 = 3126736191488 bytes, but only 0 follow; "
        "truncated, or not an IDX file");
  CHECK(complaint(gzip(three_terabytes)).find("can be packed in a file of this size") != std::string::npos);
  CHECK(complaint("\0\0\x08\x03"s + std::string(12, '\xff')).find("4294967295 * 4294967295 does not fit") !=
        std::string::npos);
}

TEST_CASE("truncated files and files with trailing data are refused") {
  for (std::size_t size = 0; size < images_2x3x2.size(); ++size) {
    CAPTURE(size);
    const std::string cut = images_2x3x2.substr(0, size);
    const char* what =
        size < 16 ? "the file ends inside its header; the header has 16 bytes" : "the header promises 2x3x2 = 12 bytes";
    CHECK(complaint(cut).find(what) != std::string::npos);
    CHECK(complaint(gzip(cut)).find(size < 16 ? what : "truncated: ") != std::string::npos);
  }
  CHECK(complaint(images_2x3x2 + "xyz") == ": 3 bytes follow the 2x3x2 values; must be 0");
  CHECK(complaint(gzip(images_2x3x2 + "xyz")) == ": more data follow the 2x3x2 values; must be none");
}

TEST_CASE("corrupt gzip is refused at any position") {
  const std::string packed = gzip(images_2x3x2);
  for (std::size_t size = 2; size < packed.size(); ++size) {
    CAPTURE(size);
    CHECK(complaint(packed.substr(0, size)) == ": the gzip data stop early: truncated file");
  }
  std::string wrong_sum = packed;
  wrong_sum[packed.size() - 8] ^= 1;
  CHECK(complaint(wrong_sum) == ": corrupt gzip data: incorrect data check");
  std::string wrong_length = packed;
  wrong_length.back() ^= 1;
  CHECK(complaint(wrong_length) == ": corrupt gzip data: incorrect length check");
  CHECK(complaint(packed + "garbage") == ": corrupt gzip data: incorrect header check");
  CHECK(complaint(packed + packed) == ": more data follow the 2x3x2 values; must be none");
}

TEST_CASE("write_idx refuses mismatched extents, and writes nothing") {
  const temporary_directory there;
  const std::vector<std::uint8_t> values(6);
  CHECK_THROWS_WITH_AS(rp::write_idx(there / "a", {2, 2}, values), doctest::Contains("shape is 2x2 for 6 values"),
                       rp::shape_error);
  CHECK_THROWS_AS(rp::write_idx(there / "a", {}, values), rp::shape_error);
  CHECK_THROWS_AS(rp::write_idx(there / "a", {rp::index_t{1} << 32, 0}, {}), rp::shape_error);
  CHECK_THROWS_AS(rp::write_idx(there / "no" / "a", {6}, values), rp::data_error);
  CHECK(there.entries() == 0);
}
