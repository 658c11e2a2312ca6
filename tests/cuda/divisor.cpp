// SPDX-License-Identifier: MIT
// The quotients of device code, compiled for the host, against divisions.
#include <ridgepoint/cuda/device/threads.hpp>
#include <ridgepoint/cuda/device/windows.hpp>
#include <ridgepoint/cuda/runtime/kernel.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace {

namespace device = ridgepoint_device;
using ridgepoint::index_t;

constexpr index_t limit = device::small_numbers;

/// Returns the divisor as a kernel receives it.
device::divisor on_device(index_t value) {
  const ridgepoint::detail::divisor made = value;
  return {made.value, made.factor, made.shift};
}
/// Returns the first number with a wrong quotient by `by`; −1: none.
index_t wrong_quotient(index_t by, const std::vector<index_t>& numbers) {
  const device::divisor d = on_device(by);
  const auto is_wrong = [&](index_t n) {
    const device::division parts = divide(n, d);
    return n / d != n / by || n % d != n % by || parts.quotient != n / by || parts.rest != n % by;
  };
  const auto found = std::find_if(numbers.begin(), numbers.end(), is_wrong);
  return found == numbers.end() ? -1 : *found;
}
/// Returns multiples of a divisor and their neighbours at both ends of the small numbers. The last number with
/// remainder `by` − 1 decides for all numbers below it: its product is nearest to the next quotient.
std::vector<index_t> edges(index_t by) {
  std::vector<index_t> numbers{0, 1, by - 1, by, by + 1, limit - 1};
  if (by <= limit) {
    const index_t last = limit / by * by;
    numbers.insert(numbers.end(), {last - by, std::max(last - by - 1, by - 1), last - 1, last});
  }
  return numbers;
}
/// Returns powers of two and their neighbours.
std::vector<index_t> near_powers(int first, int end) {
  std::vector<index_t> numbers;
  for (int k = first; k < end; ++k)
    for (index_t offset = -2; offset <= 2; ++offset) numbers.push_back((index_t{1} << k) + offset);
  return numbers;
}

}  // namespace

TEST_CASE("a divisor's quotients equal a division's, at every edge of the numbers it multiplies") {
  std::vector<index_t> divisors = near_powers(2, 33);
  for (index_t by = 1; by < 200'000; ++by) divisors.push_back(by);
  for (index_t by = limit; by > 1; by -= 1 + by / 5'000) divisors.push_back(by);
  for (const index_t by : divisors) {
    CAPTURE(by);
    REQUIRE(wrong_quotient(by, edges(by)) == -1);
  }
}
TEST_CASE("a divisor's quotients equal a division's for dividends and divisors it does not multiply") {
  const std::vector<index_t> numbers = near_powers(2, 62);
  for (const index_t by : near_powers(2, 62)) {
    CAPTURE(by);
    REQUIRE(wrong_quotient(by, numbers) == -1);
  }
  for (const index_t by : {1, 2, 3, 7}) CHECK(wrong_quotient(by, numbers) == -1);
}
TEST_CASE("device code finds the position of an element in images of any size") {
  for (const index_t rows : {index_t{1}, index_t{3}, index_t{224}, limit / 5 + 7})
    for (const index_t columns : {1, 7, 112})
      for (const index_t channels : {1, 3, 64}) {
        const device::divisor by[] = {on_device(rows), on_device(columns), on_device(channels)};
        for (const index_t e : near_powers(2, 40)) {
          CAPTURE(e);
          const device::place at = device::place_of(e, by[0], by[1], by[2]);
          const index_t pixel = e / channels, line = pixel / columns;
          CHECK(at.n == line / rows);
          CHECK(at.row == line % rows);
          CHECK(at.column == pixel % columns);
          CHECK(at.channel == e % channels);
        }
      }
}
