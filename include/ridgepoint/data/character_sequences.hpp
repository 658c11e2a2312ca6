// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>

#include <ridgepoint/data/text_corpus.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What a network is given of each character.
enum class characters_as {
  one_hot,  // as many numbers as the vocabulary has characters, of which one is 1: samples (length, vocabulary)
  ids       // for nn::embedding: samples (length)
};

/// Which sequences of a text are taken: by default those of Keras' lstm_text_generation.
struct character_sequences_options {
  index_t length = 40, step = 3;  // characters in one; from the beginning of one to that of the next
  characters_as given = characters_as::one_hot;
};

/// Sequences of the characters of a text, every `step` characters one of `length`; the label is the character behind
/// it. There are ⌈(characters − length) / step⌉.
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

/// What is learnt from, and what is tested on: sequences of the first nine tenths of a text, and of the last.
struct text_data {
  character_sequences train, test;
};

/// The sequences of a text file. Throws: as text_corpus and character_sequences, whose sequences must fit a tenth.
/// Example: const rp::text_data text = rp::text_sequences("nietzsche.txt", {.length = 40, .step = 3});
[[nodiscard]] inline text_data text_sequences(const std::string& path, const character_sequences_options& options = {},
                                              const text_corpus_options& reading = {}) {
  auto [learnt, tested] = detail::nine_tenths("text_sequences", path, reading);
  return {character_sequences(std::move(learnt), options), character_sequences(std::move(tested), options)};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
