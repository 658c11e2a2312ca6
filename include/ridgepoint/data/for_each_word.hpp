// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <ridgepoint/data/lower_case.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Calls take(word) for each word of a text, a std::string in lower case, as Keras' text_to_word_sequence() has them:
/// between white space and !"#$%&()*+,-./:;<=>?@[\]^_`{|}~. An apostrophe is part of a word, as every
/// character beyond ASCII is.
///
/// Throws: value_error unless the text is UTF-8; words before what is not have been taken.
/// Example: rp::for_each_word("Don't, <br />stop", print);      // don't br stop
template <class Take>
void for_each_word(std::string_view text, Take&& take) {
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) take(std::as_const(word));
    word.clear();
  };
  const std::size_t end = detail::for_each_code_point(text, [&](char32_t c) {
    constexpr std::string_view between = " \t\n\v\f\r!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~";
    if (c < 0x80 && between.find(static_cast<char>(c)) != between.npos) end_word();
    else detail::append_utf8(word, lower_case(c));
  });
  require<value_error>(end == text.size(), "words: the text is not UTF-8 from byte ", end, " on; must be");
  end_word();
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
