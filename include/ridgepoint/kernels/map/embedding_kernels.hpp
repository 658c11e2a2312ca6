// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/kernels/map/embedding.hpp>
#include <ridgepoint/kernels/stores.hpp>
#include <ridgepoint/ops/embedding.hpp>
#include <ridgepoint/ops/embedding_rows.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

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
