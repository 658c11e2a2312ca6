// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>

#include <ridgepoint/graph/checkpoint.hpp>
#include <support/allocations.hpp>
#include <support/mutate.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;
using namespace std::string_literals;

namespace {

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

/// Reads a file: either succeeds or throws a data_error that names the file. Checks that it takes little memory.
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
