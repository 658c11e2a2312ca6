// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/ops/embedding.hpp>
#include <ridgepoint/ops/embedding_rows.hpp>

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

/// dst(i) ← 0, written as `how` specifies if dst is register-aligned.
template <class T>
struct clear_chunk {
  static constexpr auto id = kernel_id<T>("clear_chunk");
  static void run(T* dst, index_t size, stores how) noexcept;
};

/// Adds dy of all tokens to this part's rows of the table; parts get blocks of rows in turn.
template <class T>
struct embedding_backward_part {
  static constexpr auto id = kernel_id<T>("embedding_backward_part");
  static void run(const embedding_backward_args<T>& a, index_t part, index_t parts) noexcept;
};

/// Sorted ids; the position of the first of each distinct id, and the end after the last.
struct sorted_tokens {
  const placed_id* sorted;
  const std::int32_t* begins;
  index_t count;
};
/// Sums of dy for distinct ids [begin, end).
template <class T>
struct embedding_rows_chunk {
  static constexpr auto id = kernel_id<T>("embedding_rows_chunk");
  static void run(const embedding_rows_args<T>& a, const sorted_tokens& tokens, index_t begin, index_t end) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/map/embedding.hpp>
#endif
