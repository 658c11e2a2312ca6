// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/idx.hpp>
#include <support/gzip.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

namespace {

std::string read_in_steps(const std::filesystem::path& path, std::size_t step) {
  rp::unpacked_file file(path);
  std::string all;
  std::vector<std::uint8_t> part(step);
  for (std::size_t count = step; count == step;) {
    count = file.read(part.data(), step);
    all.append(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return all;
}

std::string noise(std::size_t size) {
  std::string text(size, '\0');
  std::uint32_t state = 1;
  for (char& c : text) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return text;
}

}  // namespace

TEST_CASE("plain and compressed files give the same bytes, in reads of any size") {
  const temporary_directory there;
  for (const std::string& text : {std::string(), std::string("x"), noise(70'000), std::string(300'000, 'a')}) {
    write_bytes(there / "plain", text);
    write_bytes(there / "packed", gzip(text));
    CHECK(rp::unpacked_file(there / "packed").is_gzip());
    CHECK(!rp::unpacked_file(there / "plain").is_gzip());
    for (const std::size_t step : {1UL, 3UL, 65536UL, 65537UL, 1'000'000UL}) {
      if (step < 3 && text.size() > 100'000) continue;
      CHECK(read_in_steps(there / "plain", step) == text);
      CHECK(read_in_steps(there / "packed", step) == text);
    }
  }
}

TEST_CASE("the members of a compressed file are concatenated") {
  const temporary_directory there;
  write_bytes(there / "a", gzip("one ") + gzip("") + gzip(noise(100'000)) + gzip(" three"));
  CHECK(read_in_steps(there / "a", 1000) == "one " + noise(100'000) + " three");
}

TEST_CASE("a compressed file cannot hold more than its size allows") {
  const temporary_directory there;
  const std::string zeros(50'000'000, '\0');
  write_bytes(there / "a", gzip(zeros));
  const rp::unpacked_file file(there / "a");
  CHECK(file.most_bytes() >= zeros.size());
  CHECK(file.most_bytes() < zeros.size() * 11 / 10);  // the bound is nearly tight
}

TEST_CASE("a truncated or damaged compressed file is refused") {
  const temporary_directory there;
  const std::string packed = gzip(noise(1000));
  for (const std::size_t size :
       {std::size_t{2}, std::size_t{9}, std::size_t{10}, packed.size() / 2, packed.size() - 1}) {
    write_bytes(there / "a", packed.substr(0, size));
    CHECK_THROWS_WITH_AS(read_in_steps(there / "a", 100), doctest::Contains("stop early: truncated file"),
                         rp::data_error);
  }
  std::string damaged = packed;
  damaged[packed.size() - 5] ^= 16;
  write_bytes(there / "a", damaged);
  CHECK_THROWS_WITH_AS(read_in_steps(there / "a", 100), doctest::Contains("corrupt gzip data: incorrect data check"),
                       rp::data_error);
  CHECK_THROWS_WITH_AS(rp::unpacked_file(there / "none"), doctest::Contains("none: no such file"), rp::data_error);
}
