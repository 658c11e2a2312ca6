// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/data/bigram_vocabulary.hpp>
#include <ridgepoint/data/read_text.hpp>
#include <ridgepoint/data/review_dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What is made of reviews: by default what Keras' imdb_bidirectional_lstm learns from.
struct imdb_options {
  index_t vocabulary = 20'000;  // ids of words are below it
  index_t length = 100;         // ids in a sample
  bool bigrams = false;         // pairs of words follow them, with ids above vocabulary, as in Keras' imdb_fasttext
  index_t most_ids = 1 << 22;   // words and pairs; reviews that have more are refused: 50 floats each are 839 MB
  std::uint64_t most_bytes = 1 << 20;  // of a review
};

/// What is learnt from, and what is tested on.
template <class Target>
struct imdb_data {
  review_dataset<Target> train, test;
  word_vocabulary words;
  index_t vocabulary;  // every id is below it: that of nn::embedding
};

namespace detail {
/// A part of the reviews.
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

/// The reviews of IMDb, or any in its directories: {train,test}/{neg,pos}/*.txt, one review in UTF-8 each.
///
/// Words and pairs are those of the training reviews: word_vocabulary, bigram_vocabulary. Ids are Keras': 0 padding, 1
/// the start of a review, 2 a word that is not in the vocabulary, 4 the most frequent one; pairs from vocabulary + 1
/// on, of which those that are in no training review are left out. Targets: 1 for a positive review, as a value or as a
/// label.
/// Throws: value_error for an option out of its domain or more words and pairs than most_ids; data_error, naming the
/// file or directory: one is missing or has no review (review_files()), a review is too large or not UTF-8.
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
  auto learnt = train.encode(words), tested = test.encode(words);
  index_t vocabulary = options.vocabulary;
  if (options.bigrams) {
    const bigram_vocabulary pairs(learnt, static_cast<std::int32_t>(vocabulary + 1), options.most_ids - vocabulary - 1);
    for (auto* reviews : {&learnt, &tested})
      for (auto& review : *reviews) pairs.append_to(review);
    vocabulary += 1 + pairs.size();
  }
  return {review_dataset<Target>(std::move(learnt), std::move(train.kinds), options.length),
          review_dataset<Target>(std::move(tested), std::move(test.kinds), options.length), std::move(words),
          vocabulary};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
