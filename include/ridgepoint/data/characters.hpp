// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>

#include <ridgepoint/data/text_corpus.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Selection of pairs of windows of a text.
struct character_pairs_options {
  index_t length = 64, step = 128;  // characters per window; distance between pair starts
};

/// Pairs of windows of a text, of `length` characters each: the input of an encoder-decoder network, and the next
/// characters, its target. There are ⌊(characters − 2·length) / step⌋ + 1.
///
/// Samples (2, length) are ids, in the order of models::transformer's inputs: first the decoder's, which start
/// one character before the target, then the encoder's. Targets (length) are the next window.
///
/// Example:
///   const rp::character_pairs pairs(text, {.length = 4, .step = 8});  // "abcdefgh…": learns "efgh" of "defg", "abcd"
class character_pairs final : public dataset {
 public:
  using options = character_pairs_options;

  /// Throws: value_error for a length or step below 1, or a text that is shorter than two windows.
  explicit character_pairs(text_corpus of, const options& o = {}) : of_(std::move(of)), options_(o) {
    require<value_error>(o.length >= 1 && o.step >= 1, "character_pairs: length is ", o.length, " and step ", o.step,
                         "; must be >= 1");
    require<value_error>(of_.size() >= checked_mul(2, o.length), "character_pairs: the text has ", of_.size(),
                         " characters; must have two windows of ", o.length);
  }

  [[nodiscard]] index_t size() const override { return (of_.size() - 2 * options_.length) / options_.step + 1; }
  [[nodiscard]] shape sample_shape() const override { return {2, options_.length}; }
  [[nodiscard]] shape target_shape() const override { return {options_.length}; }
  [[nodiscard]] int classes() const override { return static_cast<int>(of_.vocabulary().size()); }
  [[nodiscard]] gathering gathered() const override { return gathering::on_any_threads; }
  void gather(std::span<const index_t> rows, float* x, std::int32_t* next) const override {
    for (const index_t row : rows) {
      const std::int32_t* const source = of_.ids().data() + row * options_.step;
      const std::int32_t* const target = source + options_.length;
      x = std::copy_n(target - 1, options_.length, x);
      x = std::copy_n(source, options_.length, x);
      next = std::copy_n(target, options_.length, next);
    }
  }
  [[nodiscard]] const text_corpus& text() const noexcept { return of_; }

 private:
  text_corpus of_;
  options options_;
};

/// Training and test data: pairs of the first nine tenths of a text, and of the last.
struct text_pair_data {
  character_pairs train, test;
};

/// Reads the pairs of a text file. Throws: as text_corpus and character_pairs; one pair must fit a tenth of the text.
/// Example: const rp::text_pair_data text = rp::text_pairs("nietzsche.txt", {.length = 64, .step = 128});
[[nodiscard]] inline text_pair_data text_pairs(const std::string& path, const character_pairs_options& options = {},
                                               const text_corpus_options& reading = {}) {
  auto [trained, tested] = detail::nine_tenths("text_pairs", path, reading);
  require<value_error>(options.length < 1 || tested.size() >= checked_mul(2, options.length),
                       "text_pairs: the last tenth of ", path, " has ", tested.size(),
                       " characters; must have two windows of ", options.length);
  return {character_pairs(std::move(trained), options), character_pairs(std::move(tested), options)};
}

/// Network input for each character.
enum class characters_as {
  one_hot,  // one-hot over the vocabulary: samples (length, vocabulary)
  ids       // for nn::embedding: samples (length)
};

/// Selection of sequences of a text: by default that of Keras' lstm_text_generation.
struct character_sequences_options {
  index_t length = 40, step = 3;  // characters per sequence; distance between sequence starts
  characters_as given = characters_as::one_hot;
};

/// Sequences of `length` characters of a text, starting every `step` characters; the label is the next character. There
/// are ⌈(characters − length) / step⌉.
///
/// Example:
///   const rp::text_corpus text("nietzsche.txt");              // 600,893 characters, 57 different ones
///   const rp::character_sequences sequences(text);            // 200,285 of (40, 57)
class character_sequences final : public dataset {
 public:
  using options = character_sequences_options;

  /// Throws: value_error for a length or step below 1, or a text that is no longer than a sequence.
  explicit character_sequences(text_corpus of, const options& o = {}) : of_(std::move(of)), options_(o) {
    require<value_error>(o.length >= 1 && o.step >= 1, "character_sequences: length is ", o.length, " and step ",
                         o.step, "; must be >= 1");
    require<value_error>(of_.size() > o.length, "character_sequences: the text has ", of_.size(),
                         " characters; must have more than a sequence, ", o.length);
  }

  [[nodiscard]] index_t size() const override { return ceil_div(of_.size() - options_.length, options_.step); }
  [[nodiscard]] shape sample_shape() const override {
    if (options_.given == characters_as::ids) return {options_.length};
    return {options_.length, of_.vocabulary().size()};
  }
  [[nodiscard]] int classes() const override { return static_cast<int>(of_.vocabulary().size()); }
  [[nodiscard]] gathering gathered() const override { return gathering::on_any_threads; }
  void gather(std::span<const index_t> rows, float* x, std::int32_t* labels) const override {
    for (const index_t row : rows) {
      const std::int32_t* const first = of_.ids().data() + row * options_.step;
      x = options_.given == characters_as::ids ? std::copy_n(first, options_.length, x) : write_one_hot(first, x);
      *labels++ = first[options_.length];
    }
  }
  [[nodiscard]] const text_corpus& text() const noexcept { return of_; }

 private:
  float* write_one_hot(const std::int32_t* ids, float* x) const {
    const index_t width = of_.vocabulary().size();
    float* const end = std::fill_n(x, options_.length * width, 0.0F);
    for (index_t t = 0; t < options_.length; ++t) x[t * width + ids[t]] = 1;
    return end;
  }

  text_corpus of_;
  options options_;
};

/// Training and test data: sequences of the first nine tenths of a text, and of the last.
struct text_data {
  character_sequences train, test;
};

/// Reads the sequences of a text file. Throws: as text_corpus and character_sequences, whose sequences must fit a
/// tenth.
/// Example: const rp::text_data text = rp::text_sequences("nietzsche.txt", {.length = 40, .step = 3});
[[nodiscard]] inline text_data text_sequences(const std::string& path, const character_sequences_options& options = {},
                                              const text_corpus_options& reading = {}) {
  auto [trained, tested] = detail::nine_tenths("text_sequences", path, reading);
  return {character_sequences(std::move(trained), options), character_sequences(std::move(tested), options)};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
