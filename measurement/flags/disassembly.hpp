// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace measurement {

/// Instruction as objdump shows it, in AT&T syntax.
struct instruction {
  std::uint64_t address = 0, bytes = 0;
  std::string mnemonic = {}, operands = {};  // without prefixes: "vfmadd231ps", "(%rax),%ymm0,%ymm1"

  /// Returns the target of a conditional or unconditional jump; empty for other instructions and indirect jumps.
  [[nodiscard]] std::optional<std::uint64_t> jump_target() const;
  /// Returns true if execution may continue at the next instruction.
  [[nodiscard]] bool falls_through() const {
    const std::string_view name = mnemonic;
    return !name.starts_with("jmp") && !name.starts_with("ret") && name != "ud2" && name != "hlt";
  }
};

namespace detail {

/// Removes a hexadecimal number from the start of a text and returns it; empty, and the text unchanged, if it has
/// none.
inline std::optional<std::uint64_t> take_hexadecimal(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (failure != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

inline std::string_view without_spaces_before(std::string_view text) {
  const std::size_t at = text.find_first_not_of(" \t");
  return at == std::string_view::npos ? std::string_view() : text.substr(at);
}

inline std::string_view take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text = without_spaces_before(text.substr(word.size()));
  return word;
}

inline bool is_prefix(std::string_view word) {
  constexpr std::string_view known[] = {"lock", "rep", "repz", "repnz", "bnd", "notrack", "data16", "addr32",
                                        "cs",   "ds",  "es",   "fs",    "gs",  "ss",      "rex",    "xacquire"};
  for (const std::string_view prefix : known)
    if (word == prefix) return true;
  return word.starts_with("rex.") || word == "xrelease";
}

}  // namespace detail

inline std::optional<std::uint64_t> instruction::jump_target() const {
  std::string_view to = operands;
  if (!mnemonic.starts_with('j') && !mnemonic.starts_with("loop")) return std::nullopt;
  if (to.starts_with("0x")) to.remove_prefix(2);
  const std::optional<std::uint64_t> target = detail::take_hexadecimal(to);
  return to.empty() || to[0] == ' ' ? target : std::nullopt;
}

/// Parses the output of `objdump -d --no-show-raw-insn` of GNU or LLVM, "  1139:\tjne    1150 <main+0x17>" a line, up
/// to the address `end`, where the last instruction ends. Skips other lines, and addresses that do not increase.
inline std::vector<instruction> read_disassembly(std::string_view text, std::uint64_t end) {
  std::vector<instruction> code;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line = detail::without_spaces_before(line);
    const std::optional<std::uint64_t> address = detail::take_hexadecimal(line);
    if (!address || *address >= end || line.size() < 2 || line[0] != ':') continue;
    if (!code.empty() && *address <= code.back().address) continue;
    line = detail::without_spaces_before(line.substr(1));
    std::string_view mnemonic = detail::take_word(line);
    while (detail::is_prefix(mnemonic) && !line.empty()) mnemonic = detail::take_word(line);
    if (mnemonic.empty()) continue;
    const std::string_view operands = line.substr(0, line.find(" #"));
    if (!code.empty()) code.back().bytes = *address - code.back().address;
    code.push_back({.address = *address,
                    .bytes = end - *address,
                    .mnemonic = std::string(mnemonic),
                    .operands = std::string(operands.substr(0, operands.find_last_not_of(" \t\r") + 1))});
  }
  return code;
}

}  // namespace measurement
