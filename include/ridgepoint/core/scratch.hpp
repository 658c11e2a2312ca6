// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Returns at least `bytes` of memory that belongs to the calling thread until its next call: for packed operands and
/// partial results inside one op. It only grows, so a repeated step allocates nothing. Contents are undefined.
template <class Tag>
[[nodiscard]] void* thread_scratch(std::size_t bytes) {
  thread_local host_buffer memory;
  if (memory.size_bytes() < bytes) {
    memory = host_buffer();
    memory = host_buffer(bytes);
  }
  return memory.data();
}
/// Returns scratch memory for `count` elements of U.
template <class Tag, class U>
[[nodiscard]] U* thread_scratch_of(index_t count) {
  return static_cast<U*>(thread_scratch<Tag>(static_cast<std::size_t>(count) * sizeof(U)));
}

namespace detail {

/// Returns the bytes of `count` values in a workspace, where every piece is aligned.
template <class T>
[[nodiscard]] constexpr std::size_t piece_bytes(index_t count) noexcept {
  return static_cast<std::size_t>(
      round_up(count * static_cast<index_t>(sizeof(T)), static_cast<index_t>(alignment_bytes)));
}
/// Returns a piece of memory at offset `bytes`, and adds its size to them; null if only the size is needed.
template <class T>
[[nodiscard]] T* take_piece(std::byte* memory, std::size_t& bytes, index_t count) noexcept {
  T* const piece = memory == nullptr ? nullptr : reinterpret_cast<T*>(memory + bytes);
  bytes += piece_bytes<T>(count);
  return piece;
}

}  // namespace detail

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
