// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/data/text_corpus.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Sentiment of a review; the numbers are labels.
enum class sentiment { negative, positive };

/// Review of the IMDb data set: DIR/<part>/<neg or pos>/<name>.txt.
struct review_file {
  static constexpr std::array<std::string_view, 2> parts{"train", "test"};
  static constexpr std::array<std::string_view, 2> folders{"neg", "pos"};  // by sentiment

  std::string path;
  sentiment kind = sentiment::negative;
};

/// Returns the reviews of a part, "train" or "test": first neg/, then pos/, each in the order of names. Ignores other
/// files.
///
/// Throws: data_error if the directory or one of its folders is missing, or has no review.
/// Example: for (const rp::review_file& review : rp::review_files("aclImdb", "train")) …
[[nodiscard]] inline std::vector<review_file> review_files(const std::string& directory, std::string_view part) {
  require<data_error>(detail::status_of(directory).directory, "reviews: ", directory,
                      ": no such directory; must exist, with train/neg, train/pos, test/neg and test/pos");
  std::vector<review_file> files;
  for (const sentiment kind : {sentiment::negative, sentiment::positive}) {
    const std::string name = concat(part, '/', review_file::folders[static_cast<std::size_t>(kind)]);
    const std::string folder = detail::in_directory(directory, name);
    require<data_error>(detail::status_of(folder).directory, "reviews: ", directory, " has no directory ", name,
                        "; must have train/neg, train/pos, test/neg and test/pos");
    const std::size_t before = files.size();
    for (const std::string& entry : detail::directory_entries(folder))
      if (entry.ends_with(".txt")) files.push_back({detail::in_directory(folder, entry), kind});
    require<data_error>(files.size() > before, "reviews: ", folder, " has no review; must have files *.txt");
  }
  return files;
}

/// Calls take(word) for each word of a text, a std::string in lower case, split like Keras' text_to_word_sequence(): at
/// white space and !"#$%&()*+,-./:;<=>?@[\]^_`{|}~. Apostrophes and all characters beyond ASCII are part of words.
///
/// Throws: value_error unless the text is UTF-8; words before the first invalid byte have been passed to take().
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
  require<value_error>(end == text.size(), "words: the text is not UTF-8 from byte ", end, " on; must be UTF-8");
  end_word();
}

/// Ids of words, as in Keras' imdb.load_data(); 3 is unused.
struct word_ids {
  static constexpr std::int32_t padding = 0, start = 1, unknown = 2, first_word = 4;
};

/// The most frequent words of texts, with ids from 4 on, in descending order of frequency; ties in the order of their
/// bytes.
///
/// Example:
///   const std::string texts[] = {"A cat and a dog", "a dog"};
///   const rp::word_vocabulary words(texts, 6);                          // ids below 6: two words
///   words.encode("The dog!") == std::vector<std::int32_t>{1, 2, 5}      // start, unknown, dog
class word_vocabulary {
 public:
  /// Throws: value_error unless there is an id for at least one word, the texts are UTF-8, and they have at most
  /// most_words distinct words.
  explicit word_vocabulary(std::span<const std::string> texts, index_t ids, index_t most_words = index_t{1} << 24) {
    require<value_error>(ids > word_ids::first_word && ids <= 0x7FFFFFFF, "word_vocabulary: ids is ", ids,
                         "; must be > ", word_ids::first_word, " and < 2147483648");
    std::unordered_map<std::string, index_t> counts;
    for (const std::string& text : texts)
      for_each_word(text, [&](const std::string& word) {
        ++counts[word];
        require<value_error>(static_cast<index_t>(counts.size()) <= most_words, "word_vocabulary: there are more than ",
                             most_words, " different words; must be at most that many");
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

  /// Number of words.
  [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(words_.size()); }
  /// Returns the word of an id, "" for other ids.
  [[nodiscard]] std::string_view word(std::int32_t id) const noexcept {
    const index_t place = index_t{id} - word_ids::first_word;
    return place >= 0 && place < size() ? words_[static_cast<std::size_t>(place)] : std::string_view();
  }
  /// Returns the start id, then the ids of the words. Throws: value_error unless the text is UTF-8.
  [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text) const {
    std::vector<std::int32_t> ids{word_ids::start};
    for_each_word(text, [&](const std::string& word) {
      const auto found = ids_.find(word);
      ids.push_back(found == ids_.end() ? word_ids::unknown : found->second);
    });
    return ids;
  }

 private:
  std::vector<std::string> words_;  // by id, from the first word's id on
  std::unordered_map<std::string, std::int32_t> ids_;
};

/// Reviews as `length` ids each, for nn::embedding: longer reviews keep the last ids, shorter ones are padded at the
/// start, as in Keras' pad_sequences(). Targets are 1 for a positive review and 0 for a negative one: one value
/// each, for nn::binary_cross_entropy, or labels of two classes if Target is std::int32_t.
///
/// Stores ids, not padding.
/// Example:
///   const rp::review_dataset<float> data({{1, 4}, {1}}, {rp::sentiment::positive, rp::sentiment::negative}, 100);
template <class Target>
class review_dataset final : public dataset_for<Target> {
 public:
  /// Throws: value_error for a length below 1, and for an id from 2²⁴ on, because data sets return ids as floats;
  /// shape_error unless every review has a sentiment.
  review_dataset(std::vector<std::vector<std::int32_t>> reviews, std::vector<sentiment> kinds, index_t length)
      : reviews_(std::move(reviews)), kinds_(std::move(kinds)), length_(length) {
    require<value_error>(length >= 1, "review_dataset: length is ", length, "; must be >= 1");
    require<shape_error>(reviews_.size() == kinds_.size(), "review_dataset: ", reviews_.size(), " reviews with ",
                         kinds_.size(), " sentiments; must be equal");
    for (auto& review : reviews_) {
      const auto size = static_cast<index_t>(review.size());
      review.erase(review.begin(), review.end() - (std::min)(size, length));
      review.shrink_to_fit();
      for (const std::int32_t id : review)
        require<value_error>(id >= 0 && id < most_ids, "review_dataset: an id is ", id, "; must be >= 0 and < ",
                             most_ids);
    }
  }
  static constexpr std::int32_t most_ids = 1 << 24;

  [[nodiscard]] index_t size() const override { return static_cast<index_t>(reviews_.size()); }
  [[nodiscard]] shape sample_shape() const override { return {length_}; }
  [[nodiscard]] int classes() const override { return std::same_as<Target, std::int32_t> ? 2 : 0; }
  [[nodiscard]] gathering gathered() const override { return gathering::on_any_threads; }
  void gather(std::span<const index_t> rows, float* x, Target* targets) const override {
    for (const index_t row : rows) {
      const auto& review = reviews_[static_cast<std::size_t>(row)];
      x = std::fill_n(x, length_ - static_cast<index_t>(review.size()), float{word_ids::padding});
      x = std::copy(review.begin(), review.end(), x);
      *targets++ = static_cast<Target>(kinds_[static_cast<std::size_t>(row)]);
    }
  }

 private:
  std::vector<std::vector<std::int32_t>> reviews_;
  std::vector<sentiment> kinds_;
  index_t length_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
