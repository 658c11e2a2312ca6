// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Id and its position among the ids.
struct placed_id {
  std::int32_t id, position;
};

/// Sorts the ids in [0, limit) in ascending order, equal ids by position. Returns the first, in one of two buffers of
/// `size`, and sets `count`. A radix sort: two passes below 2²² ids, three above.
inline const placed_id* sort_ids(const std::int32_t* ids, index_t size, index_t limit, placed_id* from, placed_id* to,
                                 index_t& count) noexcept {
  constexpr unsigned digit_bits = 11;  // counts of a pass: 8 KiB
  constexpr std::uint32_t digits = 1U << digit_bits;
  count = 0;
  for (index_t i = 0; i < size; ++i)
    if (ids[i] >= 0 && ids[i] < limit) from[count++] = {ids[i], static_cast<std::int32_t>(i)};
  const auto bits = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(limit - 1)));
  for (unsigned shift = 0; shift < bits; shift += digit_bits) {
    const auto digit_of = [&](const placed_id& p) { return static_cast<std::uint32_t>(p.id) >> shift & (digits - 1); };
    std::array<std::int32_t, digits> next{};  // where the next id with a digit goes
    for (index_t i = 0; i < count; ++i) ++next[digit_of(from[i])];
    std::int32_t before = 0;
    for (std::int32_t& first : next) {
      const std::int32_t of_digit = first;
      first = before;
      before += of_digit;
    }
    for (index_t i = 0; i < count; ++i) {
      std::int32_t& place = next[digit_of(from[i])];
      to[place++] = from[i];
    }
    placed_id* const sorted = to;
    to = from;
    from = sorted;
  }
  return from;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
