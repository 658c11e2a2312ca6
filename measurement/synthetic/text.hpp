// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/random.hpp>
#include <ridgepoint/data/drawn_files.hpp>

namespace synthetic {

/// Language of 64 words: the last `order` words determine the four possible next ones, the first with probability 1/2,
/// then 1/4, 1/8 and 1/8: at most 1.75 bits a word that even a perfect model cannot predict. The language is fixed; the
/// text depends on the seed.
///
/// Example:
///   synthetic::markov_words words(2, 42);
///   text += words.next();                                     // with its trailing space or end of line
class markov_words {
 public:
  static constexpr int most_order = 3;
  static constexpr double most_bits = 1.75;  // per word
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
    ridgepoint::require<ridgepoint::value_error>(order >= 1 && order <= most_order, "markov_words: order is ", order,
                                                 "; must be 1 to ", most_order);
  }

  [[nodiscard]] std::string_view next() noexcept {
    constexpr std::uint64_t language = 1;
    const auto followers =
        ridgepoint::philox4x32({last_[0], last_[1], last_[2], static_cast<std::uint32_t>(order_)}, language);
    const std::uint32_t eighth = choice_.below(8);
    const std::uint32_t word = followers[eighth < 4 ? 0 : eighth < 6 ? 1 : eighth - 4] % words.size();
    std::copy_backward(last_.begin(), last_.begin() + order_ - 1, last_.begin() + order_);
    last_[0] = word;
    return words[word];
  }

 private:
  int order_;
  ridgepoint::random_stream choice_;
  std::array<std::uint32_t, most_order> last_{};  // the latest first; elements beyond the order stay 0
};

/// Options of the text; by default one of the size of Keras' nietzsche.txt.
struct text_options {
  std::uint64_t seed = 42;
  ridgepoint::index_t characters = 600'000;
  int order = 2;  // words that the next one depends on: 1 to 3
};
/// Name of the file in its directory.
inline constexpr std::string_view text_name = "text.txt";

/// Ensures that `directory` holds text.txt, in UTF-8 and the language of markov_words; creates it if missing.
///
/// The same options give the same bytes on every machine; fewer characters are the beginning of more. A note next to
/// the file records its origin, so that changed options recreate it, and a text of another origin is never overwritten.
/// Throws: value_error for less than one character or an order that is not 1 to 3; data_error if the directory cannot
/// be written or holds a text without such a note.
/// Example: synthetic::write_text("text", {.seed = 42, .characters = 600'000});
void write_text(const std::string& directory, const text_options& options = {},
                const ridgepoint::data_progress& progress = {});

}  // namespace synthetic
