// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include <ridgepoint/core/input_file.hpp>
#include <ridgepoint/core/utf8.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The whole of a text file in UTF-8 of at most `most_bytes`, without the byte order mark that it may begin with.
///
/// Throws: data_error, naming the file: it cannot be read, is larger, or is not UTF-8, and from which byte on.
/// Example: const std::string review = rp::read_text("train/pos/0_9.txt", 1 << 20);
[[nodiscard]] inline std::string read_text(const std::string& path, std::uint64_t most_bytes) {
  std::string text = read_file(path, most_bytes);
  if (const std::size_t end = detail::utf8_bytes(text); end != text.size()) {
    char digits[2];
    const char* const last = std::to_chars(digits, digits + 2, static_cast<unsigned char>(text[end]), 16).ptr;
    throw data_error(concat(path, ": is not UTF-8 from byte ", end, " on, 0x",
                            std::string_view(digits, static_cast<std::size_t>(last - digits)), "; must be"));
  }
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  return text;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
