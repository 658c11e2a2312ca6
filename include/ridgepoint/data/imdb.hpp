// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/data/reviews.hpp>
#include <ridgepoint/data/text_corpus.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Pairs of adjacent ids in texts, with their own ids: `first_id` and up, in ascending order of the pairs.
///
/// Example:
///   const std::vector<std::int32_t> texts[] = {{1, 4, 5}, {1, 4}};
///   const rp::bigram_vocabulary pairs(texts, 100);           // (1, 4) is 100, (4, 5) is 101
///   pairs.append_to(text);                                   // {1, 4, 7} becomes {1, 4, 7, 100}
class bigram_vocabulary {
 public:
  /// Throws: value_error if there are more than `most` different pairs, or their ids would not be below 2³¹.
  bigram_vocabulary(std::span<const std::vector<std::int32_t>> texts, std::int32_t first_id, index_t most)
      : first_id_(first_id) {
    for (const auto& text : texts)
      for (std::size_t i = 1; i < text.size(); ++i) pairs_.push_back(pair(text, i));
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    pairs_.shrink_to_fit();
    require<value_error>(size() <= most && size() <= 0x7FFFFFFF - index_t{first_id}, "bigram_vocabulary: there are ",
                         size(), " different pairs; must be at most ", most);
  }

  /// Number of pairs.
  [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(pairs_.size()); }
  /// Appends the ids of a text's pairs to it, skipping unknown pairs.
  void append_to(std::vector<std::int32_t>& text) const {
    const std::size_t end = text.size();
    for (std::size_t i = 1; i < end; ++i) {
      const auto found = std::lower_bound(pairs_.begin(), pairs_.end(), pair(text, i));
      if (found != pairs_.end() && *found == pair(text, i))
        text.push_back(first_id_ + static_cast<std::int32_t>(found - pairs_.begin()));
    }
  }

 private:
  /// Returns the pair of elements i − 1 and i.
  [[nodiscard]] static std::uint64_t pair(std::span<const std::int32_t> text, std::size_t i) noexcept {
    return std::uint64_t{static_cast<std::uint32_t>(text[i - 1])} << 32 | static_cast<std::uint32_t>(text[i]);
  }

  std::int32_t first_id_;
  std::vector<std::uint64_t> pairs_;  // in ascending order
};

/// Preparation of reviews: by default that of Keras' imdb_bidirectional_lstm.
struct imdb_options {
  index_t vocabulary = 20'000;         // exclusive bound of the ids of words
  index_t length = 100;                // ids in a sample
  bool bigrams = false;                // append pairs of words, with ids above vocabulary, as in Keras' imdb_fasttext
  index_t most_ids = 1 << 22;          // limit of words and pairs; more throw: 50 floats each are 839 MB
  std::uint64_t most_bytes = 1 << 20;  // per review
};

/// Training and test data.
template <class Target>
struct imdb_data {
  review_dataset<Target> train, test;
  word_vocabulary words;
  index_t vocabulary;  // exclusive bound of all ids: the vocabulary of nn::embedding
};

namespace detail {
/// Texts of one part of the reviews.
struct review_texts {
  std::vector<std::string> texts;
  std::vector<sentiment> kinds;

  review_texts(const std::string& directory, std::string_view part, std::uint64_t most_bytes) {
    for (const review_file& file : review_files(directory, part)) {
      texts.push_back(read_text(file.path, most_bytes));
      kinds.push_back(file.kind);
    }
  }
  [[nodiscard]] std::vector<std::vector<std::int32_t>> encode(const word_vocabulary& words) const {
    std::vector<std::vector<std::int32_t>> ids;
    for (const std::string& text : texts) ids.push_back(words.encode(text));
    return ids;
  }
};
}  // namespace detail

/// Reads the reviews of IMDb, or any in its directories: {train,test}/{neg,pos}/*.txt, one UTF-8 review per file.
///
/// Words and pairs come from the training reviews: word_vocabulary, bigram_vocabulary. Ids follow Keras: 0 padding,
/// 1 the start of a review, 2 a word not in the vocabulary, 4 the most frequent word; pairs from vocabulary + 1 on;
/// pairs not in the training reviews are left out. Targets: 1 for a positive review, as a value or as a label.
/// Throws: value_error for an option out of its domain or more words and pairs than most_ids; data_error, naming the
/// file or directory: missing or without reviews (review_files()), a review too large or not UTF-8.
/// Example:
///   const auto reviews = rp::imdb("aclImdb", {.vocabulary = 20'000, .length = 400, .bigrams = true});
///   net.input({400}, rp::element::i32) | nn::embedding{.vocabulary = reviews.vocabulary, .width = 50}
template <class Target = float>
[[nodiscard]] imdb_data<Target> imdb(const std::string& directory, const imdb_options& options = {}) {
  constexpr index_t most = review_dataset<Target>::most_ids;
  require<value_error>(options.length >= 1, "imdb: length is ", options.length, "; must be >= 1");
  require<value_error>(options.most_ids >= 1 && options.most_ids <= most, "imdb: most_ids is ", options.most_ids,
                       "; must be 1 to ", most);
  require<value_error>(options.vocabulary > word_ids::first_word && options.vocabulary < options.most_ids,
                       "imdb: vocabulary is ", options.vocabulary, "; must be > ", word_ids::first_word,
                       " and < most_ids, ", options.most_ids);
  detail::review_texts train(directory, review_file::parts[0], options.most_bytes),
      test(directory, review_file::parts[1], options.most_bytes);
  word_vocabulary words(train.texts, options.vocabulary, options.most_ids);
  auto trained = train.encode(words), tested = test.encode(words);
  index_t vocabulary = options.vocabulary;
  if (options.bigrams) {
    const bigram_vocabulary pairs(trained, static_cast<std::int32_t>(vocabulary + 1),
                                  options.most_ids - vocabulary - 1);
    for (auto* reviews : {&trained, &tested})
      for (auto& review : *reviews) pairs.append_to(review);
    vocabulary += 1 + pairs.size();
  }
  return {review_dataset<Target>(std::move(trained), std::move(train.kinds), options.length),
          review_dataset<Target>(std::move(tested), std::move(test.kinds), options.length), std::move(words),
          vocabulary};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
