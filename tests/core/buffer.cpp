// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include <ridgepoint/core/tensor.hpp>

namespace rp = ridgepoint;

TEST_CASE("a buffer is 64-byte aligned at any size") {
  for (const std::size_t bytes : {1UL, 63UL, 64UL, 65UL, 4096UL, 1'000'003UL}) {
    CAPTURE(bytes);
    const rp::host_buffer buffer(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % rp::alignment_bytes == 0);
    CHECK(buffer.size_bytes() == bytes);
    std::memset(buffer.data(), 0xAB, bytes);  // sanitizers check the bounds
  }
}

TEST_CASE("an empty buffer has no memory") {
  CHECK(rp::host_buffer().data() == nullptr);
  CHECK(rp::host_buffer(0).data() == nullptr);
  CHECK(rp::host_buffer(0).size_bytes() == 0);
}

TEST_CASE("moving transfers the memory") {
  rp::host_buffer a(100);
  void* const memory = a.data();
  rp::host_buffer b = std::move(a);
  CHECK(b.data() == memory);
  CHECK(b.size_bytes() == 100);
  a = rp::host_buffer(10);
  std::swap(a, b);
  CHECK(a.data() == memory);
}

TEST_CASE("a failed allocation throws std::bad_alloc") {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t bytes : {most, most - 62}) CHECK_THROWS_AS(rp::host_buffer{bytes}, std::bad_alloc);
}
