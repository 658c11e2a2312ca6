// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/printable.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Distinct characters of a text, with ids 0 … size() − 1 in the order of their code points.
///
/// Example:
///   const rp::character_vocabulary letters("banana");
///   letters.encode("nab") == std::vector<std::int32_t>{2, 0, 1} && letters.decode(letters.encode("nab")) == "nab"
class character_vocabulary {
 public:
  /// Throws: value_error unless the text is UTF-8 and not empty.
  explicit character_vocabulary(std::string_view text) {
    std::vector<bool> seen;
    for_each("character_vocabulary", text, [&](char32_t c) {
      if (c >= seen.size()) seen.resize(c + 1);
      seen[c] = true;
    });
    require<value_error>(!text.empty(), "character_vocabulary: the text is empty; must have a character");
    for (char32_t c = 0; c < seen.size(); ++c)
      if (seen[c]) characters_.push_back(c);
  }

  [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(characters_.size()); }
  /// Throws: value_error unless the text is UTF-8 with only these characters.
  [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text) const {
    std::vector<std::int32_t> ids;
    ids.reserve(static_cast<std::size_t>(  // bytes that begin a character
        std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; })));
    for_each("encode", text, [&](char32_t c) { ids.push_back(id(c, ids.size())); });
    return ids;
  }
  /// Throws: value_error for an invalid id.
  [[nodiscard]] std::string decode(std::span<const std::int32_t> ids) const {
    std::string text;
    for (const std::int32_t id : ids) {
      require<value_error>(id >= 0 && id < size(), "decode: an id is ", id, "; must be 0 to ", size() - 1);
      detail::append_utf8(text, characters_[static_cast<std::size_t>(id)]);
    }
    return text;
  }

 private:
  template <class Take>
  static void for_each(std::string_view what, std::string_view text, Take&& take) {
    const std::size_t end = detail::for_each_code_point(text, take);
    require<value_error>(end == text.size(), what, ": the text is not UTF-8 from byte ", end, " on; must be UTF-8");
  }
  [[nodiscard]] std::int32_t id(char32_t c, std::size_t place) const {
    const auto found = std::lower_bound(characters_.begin(), characters_.end(), c);
    require<value_error>(found != characters_.end() && *found == c, "encode: character ", place,
                         " of the text is not in the vocabulary; must be one of its ", size());
    return static_cast<std::int32_t>(found - characters_.begin());
  }

  std::vector<char32_t> characters_;  // in ascending order
};

/// Reads a full UTF-8 text file of at most `most_bytes`, without its byte order mark, if any.
///
/// Throws: data_error, naming the file: it cannot be read, is larger, or is not UTF-8, with the first invalid byte.
/// Example: const std::string review = rp::read_text("train/pos/0_9.txt", 1 << 20);
[[nodiscard]] inline std::string read_text(const std::string& path, std::uint64_t most_bytes) {
  std::string text = read_file(path, most_bytes);
  if (const std::size_t end = detail::utf8_bytes(text); end != text.size()) {
    char digits[2];
    const char* const last = std::to_chars(digits, digits + 2, static_cast<unsigned char>(text[end]), 16).ptr;
    throw data_error(concat(path, ": is not UTF-8 from byte ", end, " on, 0x",
                            std::string_view(digits, static_cast<std::size_t>(last - digits)), "; must be UTF-8"));
  }
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  return text;
}

/// Returns the lower case of a Latin, Greek or Cyrillic capital (A–Z, À–Þ, Α–Ϋ, Ѐ–Я), and any other character
/// unchanged.
[[nodiscard]] constexpr char32_t lower_case(char32_t letter) noexcept {
  struct alphabet {
    char32_t first, last, distance;
  };
  constexpr alphabet capitals[] = {{U'A', U'Z', 32},   {0xC0, 0xD6, 32},   {0xD8, 0xDE, 32},  {0x391, 0x3A1, 32},
                                   {0x3A3, 0x3AB, 32}, {0x400, 0x40F, 80}, {0x410, 0x42F, 32}};
  for (const alphabet& a : capitals)
    if (letter >= a.first && letter <= a.last) return letter + a.distance;
  return letter;
}
/// Returns a text in lower case. Throws: value_error unless it is UTF-8.
/// Example: rp::lower_case("Über") == "über"
[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string lower;
  lower.reserve(text.size());  // a letter takes as many bytes as its capital
  const std::size_t end =
      detail::for_each_code_point(text, [&](char32_t letter) { detail::append_utf8(lower, lower_case(letter)); });
  require<value_error>(end == text.size(), "lower_case: the text is not UTF-8 from byte ", end, " on; must be UTF-8");
  return lower;
}

/// Options for reading a text.
struct text_corpus_options {
  bool lower_case = true;                             // convert capital letters to lower case
  std::uint64_t most_bytes = std::uint64_t{1} << 28;  // of the file; larger files are rejected
};

/// Text as the ids of its characters. Copies, and parts of it, share them.
///
/// Memory: 4 bytes a character, plus twice the file while it is read.
/// Example:
///   const rp::text_corpus text("nietzsche.txt");
///   text.vocabulary().decode(text.ids().subspan(0, 7)) == "preface"
class text_corpus {
 public:
  /// Throws: data_error, naming the file, if it cannot be read, is too large or not UTF-8 (read_text()), or is empty.
  explicit text_corpus(const std::string& path, const text_corpus_options& options = {}) {
    std::string text = read_text(path, options.most_bytes);
    require<data_error>(!text.empty(), path, ": is empty; must have a character");
    if (options.lower_case) text = lower_case(text);
    vocabulary_ = std::make_shared<const character_vocabulary>(text);
    all_ids_ = std::make_shared<const std::vector<std::int32_t>>(vocabulary_->encode(text));
    ids_ = *all_ids_;
  }

  /// Number of characters.
  [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(ids_.size()); }
  [[nodiscard]] std::span<const std::int32_t> ids() const noexcept { return ids_; }
  [[nodiscard]] const character_vocabulary& vocabulary() const noexcept { return *vocabulary_; }
  /// Returns `count` characters from `first` on, with the vocabulary of the full text.
  /// Throws: value_error unless the part is inside the text and not empty.
  [[nodiscard]] text_corpus part(index_t first, index_t count) const {
    require<value_error>(first >= 0 && count >= 1 && first <= size() && count <= size() - first,
                         "text_corpus: part of ", count, " characters from ", first, " on; must be within its ",
                         size());
    text_corpus some = *this;
    some.ids_ = ids_.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    return some;
  }

 private:
  std::shared_ptr<const character_vocabulary> vocabulary_;
  std::shared_ptr<const std::vector<std::int32_t>> all_ids_;
  std::span<const std::int32_t> ids_;  // all ids, or a part of them
};

namespace detail {
/// Training and test data: the first nine tenths of a text, and the last.
struct text_parts {
  text_corpus train, test;
};
/// Reads a text file and splits it.
/// Throws: as text_corpus; value_error, which begins with `who`, for less than 10 characters.
[[nodiscard]] inline text_parts nine_tenths(std::string_view who, const std::string& path,
                                            const text_corpus_options& reading) {
  const text_corpus all(path, reading);
  const index_t trained = all.size() - all.size() / 10;
  require<value_error>(trained < all.size(), who, ": ", path, " has ", all.size(), " characters; must have 10 or more");
  return {all.part(0, trained), all.part(trained, all.size() - trained)};
}
}  // namespace detail

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
