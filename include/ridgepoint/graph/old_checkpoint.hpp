// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <charconv>

#include <ridgepoint/graph/crc32.hpp>
#include <ridgepoint/graph/safetensors.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

// Checkpoints of versions before checkpoints were safetensors: read, no longer written.
//
// File: "RPCHKPT" and a zero byte, then little endian u32 version, u32 bytes per element, u64 step, f64 learning rate,
// i64 batch, u64 seed, optimiser as text, u32 number of entries, each entry as name (text), u32 rank, i64 extents,
// values; at the end the u32 CRC-32 of all before it. Text is a u32 length and its bytes.

static_assert(std::endian::native == std::endian::little, "old checkpoints are as the memory is");

namespace detail {

[[nodiscard]] inline std::uint32_t checksum(std::string_view bytes) { return crc32(std::as_bytes(std::span(bytes))); }

}  // namespace detail

/// The shortest text that reads back as the same number.
template <class T>
[[nodiscard]] std::string number_text(T value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

/// What is in such a file, as safetensors have it.
/// Throws: data_error, naming the file, for bytes that are not a whole checkpoint of this version. Allocates for what
/// the bytes hold, whatever sizes they state: the values, and at most 16 times the bytes for what describes them.
[[nodiscard]] safetensors parse_old_checkpoint(std::string_view bytes, std::string_view file = "in memory");

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/old_checkpoint-inl.hpp>
#endif
