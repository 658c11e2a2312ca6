// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>
#include <cstring>

#include <ridgepoint/graph/safetensors.hpp>
#include <support/allocations.hpp>
#include <support/mutate.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;
using namespace std::string_literals;

namespace {

const std::filesystem::path seeds = std::filesystem::path(SEED_CORPUS) / "safetensors";

/// Reads a file: either succeeds or throws a data_error that names the file. Checks that it takes little memory.
bool read_mutant(const temporary_directory& there, const std::string& bytes) {
  write_bytes(there / "hostile", bytes);
  allocations::reset();
  const std::size_t before = allocations::live();
  bool taken = false;
  try {
    const rp::safetensors s = rp::read_safetensors(there / "hostile");
    taken = true;
    std::size_t values = 0;
    for (const rp::safetensor& t : s.tensors) values += t.values.size();
    CHECK(values < bytes.size());
  } catch (const rp::data_error& refusal) {
    CHECK(std::string_view(refusal.what()).find("hostile") != std::string_view::npos);
  }
  CHECK(allocations::peak() - before <= 16 * bytes.size() + (std::size_t{1} << 20));
  return taken;
}

}  // namespace

TEST_CASE("a file written by Python's safetensors reads back") {
  const rp::safetensors s = rp::read_safetensors(seeds / "good_python");
  REQUIRE(s.metadata.size() == 1);
  CHECK(s.metadata[0] == std::pair("by"s, "Python's \"safetensors\"\n"s));
  REQUIRE(s.tensors.size() == 6);
  const auto find = [&](std::string_view name) -> const rp::safetensor& {
    const auto found = std::find_if(s.tensors.begin(), s.tensors.end(), [&](const auto& t) { return t.name == name; });
    REQUIRE(found != s.tensors.end());
    return *found;
  };
  const auto values = [](const rp::safetensor& t, auto type) {
    std::vector<decltype(type)> all(t.values.size() / sizeof type);
    std::memcpy(all.data(), t.values.data(), t.values.size());
    return all;
  };
  const rp::safetensor& w = find("dense_1.w");
  CHECK(w.dtype == "F32");
  CHECK(w.extents == rp::shape{3, 2});
  CHECK(values(w, 0.0F) == std::vector{-1.0F, -0.75F, -0.5F, -0.25F, 0.0F, 0.25F});
  CHECK(values(find("dense_1.b"), 0.0F) == std::vector{0.5F, -2.0F});
  CHECK(values(find("gr\xc3\xb6\xc3\x9f"
                    "e \"q\""),
               std::int64_t{}) == std::vector<std::int64_t>{1, -1});
  CHECK(values(find("half"), std::uint16_t{}) == std::vector<std::uint16_t>{0x3E00, 0x7BFF});  // 1.5, 65504
  CHECK(find("half").dtype == "F16");
  CHECK(find("none").extents == rp::shape{0, 5});
  CHECK(values(find("scale"), 0.0) == std::vector{0.1});
  CHECK(find("scale").extents.rank() == 0);
}

TEST_CASE("20,000 damaged safetensors: no crash, bounded memory") {
  const temporary_directory there;
  int count = 0, taken = 0;
  for (const char* name : {"good_python", "good_two"}) {
    const std::string good = rp::read_file(seeds / name, 10'000);
    REQUIRE(read_mutant(there, good));
    count += mutate::for_each(good, 9000, mutate::json_words,
                              [&](const std::string& mutant) { taken += read_mutant(there, mutant) ? 1 : 0; });
  }
  CHECK(count >= 19'000);
  CHECK(taken > 100);  // changed values are still a valid file
  CHECK(taken < count / 2);
  MESSAGE(count, " mutants, ", taken, " read");
}

TEST_CASE("a file that is larger than its header says is refused before its values are read") {
  const temporary_directory there;
  for (const char* const begin : {"good_python", "good_two"}) {
    write_bytes(there / "holes", rp::read_file(seeds / begin, 10'000));
    std::filesystem::resize_file(there / "holes", std::uintmax_t{60} << 30);  // a sparse file: takes no space
    allocations::reset();
    const std::size_t before = allocations::live();
    CHECK_THROWS_WITH_AS(static_cast<void>(rp::read_safetensors(there / "holes")),
                         doctest::Contains(", all that follow the header"), rp::data_error);
    CHECK(allocations::peak() - before <= std::size_t{1} << 20);
  }
}

TEST_CASE("a header with many tensors, or without an end, takes memory in proportion to its size") {
  const temporary_directory there;
  std::string many = "{";
  for (int i = 0; i < 20'000; ++i)
    many += rp::concat(i == 0 ? "" : ",", '"', i, R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})");
  const auto with_length = [](const std::string& header) {
    const std::uint64_t size = header.size();
    return std::string(reinterpret_cast<const char*>(&size), sizeof size) + header;
  };
  CHECK(read_mutant(there, with_length(many + '}')));
  CHECK(!read_mutant(there, with_length(many)));
  CHECK(!read_mutant(there, with_length(std::string(1'000'000, '{'))));
  CHECK(!read_mutant(there, with_length("{" + std::string(1'000'000, '['))));
  CHECK(!read_mutant(there, with_length("{\"" + std::string(1'000'000, 'x'))));
}
