// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/random.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A language of 64 words in which the last `order` words decide which four may follow, the first with probability 1/2,
/// then 1/4, 1/8 and 1/8: 1.75 bits a word at most, that a network which knows the language cannot predict. The
/// language is always the same, what is said in it depends on the seed.
///
/// Example:
///   rp::markov_words words(2, 42);
///   text += words.next();                                     // with the space or the end of line behind it
class markov_words {
 public:
  static constexpr int most_order = 3;
  static constexpr double most_bits = 1.75;  // of a word
  static constexpr std::array<std::string_view, 64> words{
      "the ",      "a ",      "old ",     "cold ",   "bright ",  "quiet ",   "small ",   "long ",
      "café ",     "garden ", "river ",   "night ",  "winter ",  "house ",   "window ",  "señor ",
      "Zoë ",      "Anna ",   "teacher ", "child ",  "bird ",    "ship ",    "letter ",  "song ",
      "stone ",    "naïve ",  "sees ",    "hears ",  "follows ", "opens ",   "carries ", "forgets ",
      "writes ",   "finds ",  "leaves ",  "waits ",  "sings ",   "turns ",   "and ",     "or ",
      "but ",      "while ",  "under ",   "over ",   "near ",    "behind ",  "with ",    "without ",
      "slowly ",   "again ",  "never ",   "always ", "here, ",   "there, ",  "today, ",  "then, ",
      "at last, ", "once, ",  "home.\n",  "away.\n", "early.\n", "alone.\n", "much?\n",  "to Ærø!\n"};

  /// Throws: value_error for an order that is not 1 to 3.
  markov_words(int order, std::uint64_t seed) : order_(order), choice_(seed) {
    require<value_error>(order >= 1 && order <= most_order, "markov_words: order is ", order, "; must be 1 to ",
                         most_order);
  }

  [[nodiscard]] std::string_view next() noexcept {
    constexpr std::uint64_t language = 1;
    const auto followers = philox4x32({last_[0], last_[1], last_[2], static_cast<std::uint32_t>(order_)}, language);
    const std::uint32_t eighth = choice_.below(8);
    const std::uint32_t word = followers[eighth < 4 ? 0 : eighth < 6 ? 1 : eighth - 4] % words.size();
    std::copy_backward(last_.begin(), last_.begin() + order_ - 1, last_.begin() + order_);
    last_[0] = word;
    return words[word];
  }

 private:
  int order_;
  random_stream choice_;
  std::array<std::uint32_t, most_order> last_{};  // the latest first; those beyond the order stay 0
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
