// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/core/utf8.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The different characters of a text, with ids 0 … size() − 1 in the order of their code points.
///
/// Example:
///   const rp::character_vocabulary letters("banana");
///   letters.encode("nab") == std::vector<std::int32_t>{2, 0, 1} && letters.decode(letters.encode("nab")) == "nab"
class character_vocabulary {
 public:
  /// Throws: value_error unless the text is UTF-8 and has a character.
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
  /// Throws: value_error unless the text is UTF-8 of these characters.
  [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text) const {
    std::vector<std::int32_t> ids;
    ids.reserve(static_cast<std::size_t>(  // bytes that begin a character
        std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; })));
    for_each("encode", text, [&](char32_t c) { ids.push_back(id(c, ids.size())); });
    return ids;
  }
  /// Throws: value_error for an id that is none.
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
    require<value_error>(end == text.size(), what, ": the text is not UTF-8 from byte ", end, " on; must be");
  }
  [[nodiscard]] std::int32_t id(char32_t c, std::size_t place) const {
    const auto found = std::lower_bound(characters_.begin(), characters_.end(), c);
    require<value_error>(found != characters_.end() && *found == c, "encode: character ", place,
                         " of the text is not in the vocabulary; must be one of its ", size());
    return static_cast<std::int32_t>(found - characters_.begin());
  }

  std::vector<char32_t> characters_;  // in ascending order
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
