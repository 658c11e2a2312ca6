// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>

#include <ridgepoint/graph/checkpoint.hpp>
#include <support/allocations.hpp>
#include <support/mutate.hpp>
#include <support/old_checkpoint_bytes.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;
using namespace std::string_literals;

namespace {

const std::array<std::string, 6> checkpoint_words{"RPCHKPT\0"s,  "\x08\0\0\0"s,         "\x06\0\0\0"s,
                                                  "\x07\0\0\0"s, "\0\0\0\0\0\0\0\x80"s, "\0\0\0\0\0\0\xf0\x7f"s};

rp::checkpoint small_checkpoint() {
  return {.step = 1234,
          .learning_rate = 1e-3,
          .batch = 128,
          .seed = 42,
          .optimiser = "adam",
          .tensors = {{"dense_1.w", "F32", {3, 2}, std::string(24, 'w')},
                      {"dense_1.b", "F32", {2}, std::string(8, 'b')},
                      {"none", "F32", {0, 5}, {}}}};
}

/// Reading a file either works or is a data_error that names it, and takes little memory.
bool read_hostile(const temporary_directory& there, const std::string& bytes) {
  write_bytes(there / "hostile", bytes);
  allocations::reset();
  const std::size_t before = allocations::live();
  bool taken = false;
  try {
    const rp::checkpoint c = rp::read_checkpoint(there / "hostile");
    taken = true;
    for (const rp::safetensor& t : c.tensors)
      CHECK(t.values.size() == static_cast<std::size_t>(t.extents.size() * rp::detail::safetensors_bytes(t.dtype)));
  } catch (const rp::data_error& refusal) {
    CHECK(std::string_view(refusal.what()).find("hostile") != std::string_view::npos);
  }
  CHECK(allocations::peak() - before <= 4 * bytes.size() + (std::size_t{1} << 20));
  return taken;
}

}  // namespace

TEST_CASE("10,000 damaged checkpoints of an older version: none is taken for a good one") {
  const temporary_directory there;
  const std::string good = old_format::bytes_of(small_checkpoint());
  REQUIRE(read_hostile(there, good));
  int taken = 0, same = 0;
  const int count = mutate::for_each(good, 9000, checkpoint_words, [&](const std::string& mutant) {
    taken += read_hostile(there, mutant) ? 1 : 0;
    same += mutant == good ? 1 : 0;
  });
  CHECK(count >= 10'000);
  CHECK(taken == same);  // the checksum sees every change
}

TEST_CASE("10,000 of them with the right checksum: no crash, bounded memory") {
  const temporary_directory there;
  int taken = 0;
  const int count = mutate::for_each(
      old_format::bytes_of(small_checkpoint()), 9000, checkpoint_words,
      [&](const std::string& mutant) { taken += read_hostile(there, old_format::sealed(mutant)) ? 1 : 0; });
  CHECK(count >= 10'000);
  CHECK(taken > 100);  // other values are still a checkpoint
  CHECK(taken < count / 2);
  MESSAGE(count, " mutants, ", taken, " read");
}

TEST_CASE("a checkpoint that promises more than it holds allocates nothing for it") {
  const temporary_directory there;
  const std::string head = "RPCHKPT\0\x02\0\0\0\x04\0\0\0"s + std::string(16, '\0') + "\x01\0\0\0\0\0\0\0"s +
                           std::string(8, '\0') + "\0\0\0\0"s;
  const std::string four_giga = "\xff\xff\xff\xff"s, text = "\x01\0\0\0w"s, checksum(4, '\0');
  const auto extent = [](std::int64_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  CHECK(read_hostile(there, old_format::sealed(head + "\0\0\0\0"s + checksum)));
  CHECK(!read_hostile(there, old_format::sealed(head + four_giga + checksum)));                         // entries
  CHECK(!read_hostile(there, old_format::sealed(head + "\x01\0\0\0"s + four_giga + checksum)));         // a name
  CHECK(!read_hostile(there, old_format::sealed(head + "\x01\0\0\0"s + text + four_giga + checksum)));  // a rank
  for (const std::int64_t value :
       {std::int64_t{-1}, std::int64_t{1} << 40, std::int64_t{1} << 61, std::int64_t{1} << 62, INT64_MAX, INT64_MIN}) {
    CAPTURE(value);
    CHECK(!read_hostile(there,
                        old_format::sealed(head + "\x01\0\0\0"s + text + "\x01\0\0\0"s + extent(value) + checksum)));
  }
}

TEST_CASE("10,000 damaged checkpoints: no crash, bounded memory") {
  const temporary_directory there;
  const std::string good = rp::to_bytes(rp::to_safetensors(small_checkpoint()));
  REQUIRE(read_hostile(there, good));
  const std::array<std::string, 6> words{"\"step\":\"1234\"",   "\"-1\"", "\"1e999\"", "{}", "\\u0000",
                                         "99999999999999999999"};
  int taken = 0;
  const int count = mutate::for_each(good, 9000, words,
                                     [&](const std::string& mutant) { taken += read_hostile(there, mutant) ? 1 : 0; });
  CHECK(count >= 10'000);
  CHECK(taken < count / 2);
}
