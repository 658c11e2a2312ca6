// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/data/for_each_word.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The ids of words, as Keras' imdb.load_data() has them; 3 is none.
struct word_ids {
  static constexpr std::int32_t padding = 0, start = 1, unknown = 2, first_word = 4;
};

/// The most frequent words of texts, with ids from 4 on: the most frequent first, among equally frequent ones the first
/// in the order of their bytes.
///
/// Example:
///   const std::string texts[] = {"A cat and a dog", "a dog"};
///   const rp::word_vocabulary words(texts, 6);                          // ids below 6: two words
///   words.encode("The dog!") == std::vector<std::int32_t>{1, 2, 5}      // start, unknown, dog
class word_vocabulary {
 public:
  /// Throws: value_error unless there is an id for one word at least, the texts are UTF-8, and there are no more than
  /// most_words different words in them.
  explicit word_vocabulary(std::span<const std::string> texts, index_t ids, index_t most_words = index_t{1} << 24) {
    require<value_error>(ids > word_ids::first_word && ids <= 0x7FFFFFFF, "word_vocabulary: ids is ", ids,
                         "; must be > ", word_ids::first_word, " and < 2147483648");
    std::unordered_map<std::string, index_t> counts;
    for (const std::string& text : texts)
      for_each_word(text, [&](const std::string& word) {
        ++counts[word];
        require<value_error>(static_cast<index_t>(counts.size()) <= most_words, "word_vocabulary: there are more than ",
                             most_words, " different words; must be at most so many");
      });
    const index_t wanted = ids - word_ids::first_word;
    std::vector<std::pair<std::string, index_t>> ranked(counts.begin(), counts.end());
    std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    ranked.resize((std::min)(ranked.size(), static_cast<std::size_t>(wanted)));
    for (auto& [word, count] : ranked) {
      ids_.emplace(word, word_ids::first_word + static_cast<std::int32_t>(words_.size()));
      words_.push_back(std::move(word));
    }
  }

  /// Words.
  [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(words_.size()); }
  /// "" for an id that is of no word.
  [[nodiscard]] std::string_view word(std::int32_t id) const noexcept {
    const index_t place = index_t{id} - word_ids::first_word;
    return place >= 0 && place < size() ? words_[static_cast<std::size_t>(place)] : std::string_view();
  }
  /// The id of its start, then those of its words. Throws: value_error unless the text is UTF-8.
  [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text) const {
    std::vector<std::int32_t> ids{word_ids::start};
    for_each_word(text, [&](const std::string& word) {
      const auto found = ids_.find(word);
      ids.push_back(found == ids_.end() ? word_ids::unknown : found->second);
    });
    return ids;
  }

 private:
  std::vector<std::string> words_;  // by id, from that of the first word on
  std::unordered_map<std::string, std::int32_t> ids_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
