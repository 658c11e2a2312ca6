// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/data/labelled_images.hpp>
#include <support/allocations.hpp>
#include <support/gzip.hpp>
#include <support/mutate.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;
using namespace std::string_literals;

namespace {

const std::array<std::string, 7> idx_words{"\0\0\x08\x03"s,     "\0\0\x08\x01"s, "\x1f\x8b\x08\x08"s, "\0\0\0\x1c"s,
                                           "\xff\xff\xff\xff"s, "\0\x01\0\0"s,   "\0\x01\0\x01"s};

/// Returns an IDX file of n images of 3 × 2.
std::string idx_file(int n) {
  std::string bytes = "\0\0\x08\x03\0\0\0\0\0\0\0\x03\0\0\0\x02"s;
  bytes[7] = static_cast<char>(n);
  for (int i = 0; i < 6 * n; ++i) bytes += static_cast<char>(37 * i);
  return bytes;
}

/// Reads a file: either succeeds or throws a data_error. Checks memory ≤ four times its size (decompressed) + 1 MiB.
void read_hostile(const temporary_directory& there, const std::string& bytes, int& taken, int& refused) {
  write_bytes(there / "file", bytes);
  allocations::reset();
  const std::size_t before = allocations::live();
  std::size_t unpacked = bytes.size();
  try {
    const rp::idx content = rp::read_idx<3>(there / "file");
    ++taken;
    unpacked = std::max(unpacked, content.values.size());
    CHECK(static_cast<std::size_t>(content.shape.size()) == content.values.size());
  } catch (const rp::data_error& refusal) {
    ++refused;
    CHECK(std::string_view(refusal.what()).find("file") != std::string_view::npos);
  }
  CHECK(allocations::peak() - before <= 4 * unpacked + (std::size_t{1} << 20));
  CHECK(allocations::live() <= before + 256);  // no leak; the caught message may still be alive
}

}  // namespace

TEST_CASE("12,000 damaged IDX files, plain, compressed and damaged before compression: no crash, bounded memory") {
  const temporary_directory there;
  const std::string original = idx_file(9);
  int taken = 0, refused = 0, count = 0;
  count += mutate::for_each(original, 4000, idx_words, [&](const auto& m) { read_hostile(there, m, taken, refused); });
  count +=
      mutate::for_each(gzip(original), 4000, idx_words, [&](const auto& m) { read_hostile(there, m, taken, refused); });
  count +=
      mutate::for_each(original, 2500, idx_words, [&](const auto& m) { read_hostile(there, gzip(m), taken, refused); });
  CHECK(count >= 12'000);
  CHECK(taken + refused == count);
  CHECK(taken > 100);  // flips in the values leave a valid IDX file
  CHECK(refused > 9000);
  MESSAGE(count, " mutants, ", taken, " read, ", refused, " refused");
}

TEST_CASE("a file that expands a thousandfold takes at most four times its contents") {
  const temporary_directory there;
  std::string bytes = idx_file(0);
  bytes[5] = 64;  // 2^22 images of 3 × 2
  int taken = 0, refused = 0;
  read_hostile(there, gzip(bytes + std::string(6 << 22, '\0')), taken, refused);
  CHECK(taken == 1);
  read_hostile(there, gzip(bytes + std::string(6 << 18, '\0')), taken, refused);  // claims 25 MB, has 1.6
  CHECK(refused == 1);
  rp::random_stream random(1);
  for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(random.below(256));  // compressed, may hold 25 MB
  read_hostile(there, gzip(bytes), taken, refused);
  CHECK(refused == 2);
}

TEST_CASE("highly compressed images are not decompressed if their labels do not match, and are not held twice") {
  const temporary_directory there;
  constexpr std::size_t count = std::size_t{1} << 22, bytes = 6 * count;
  std::string images = idx_file(0);
  images[5] = 64;  // 2^22 images of 3 x 2
  write_bytes(there / "images", gzip(images + std::string(bytes, '\0')));
  const auto peak = [](auto&& read) {
    allocations::reset();
    const std::size_t before = allocations::live();
    read();
    return allocations::peak() - before;
  };
  for (const std::size_t labels : {std::size_t{3}, count}) {
    CAPTURE(labels);
    rp::write_idx(there / "labels", {static_cast<rp::index_t>(labels)}, std::vector<std::uint8_t>(labels, 10));
    CHECK(peak([&] { CHECK_THROWS_AS(rp::labelled_images(there / "images", there / "labels"), rp::data_error); }) <=
          labels + (std::size_t{1} << 20));
  }
  CHECK(peak([&] { static_cast<void>(rp::read_idx<3>(there / "images")); }) <= bytes + bytes / 2 + (1U << 20));
}

TEST_CASE("damaged label files never give an invalid label") {
  const temporary_directory there;
  rp::write_idx(there / "images", {40, 3, 2}, std::vector<std::uint8_t>(240));
  std::string labels = "\0\0\x08\x01\0\0\0\x28"s;
  for (int i = 0; i < 40; ++i) labels += static_cast<char>(i % 10);
  int taken = 0;
  mutate::for_each(labels, 2000, idx_words, [&](const std::string& mutant) {
    write_bytes(there / "labels", mutant);
    try {
      const rp::labelled_images images(there / "images", there / "labels");
      std::array<float, 240> x;
      std::array<std::int32_t, 40> seen;
      std::array<rp::index_t, 40> rows;
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<rp::index_t>(i);
      images.gather(rows, x.data(), seen.data());
      CHECK(std::all_of(seen.begin(), seen.end(), [](int label) { return label >= 0 && label < 10; }));
      ++taken;
    } catch (const rp::data_error&) {
    }
  });
  CHECK(taken > 10);
}
