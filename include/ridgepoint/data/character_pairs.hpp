// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>

#include <ridgepoint/data/text_corpus.hpp>
#include <ridgepoint/graph/dataset.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Which pairs of windows of a text are taken.
struct character_pairs_options {
  index_t length = 64, step = 128;  // characters in a window; from the beginning of one pair to that of the next
};

/// Pairs of windows of a text, of `length` characters each: what a network with an encoder and a decoder reads, and the
/// characters behind it, which it learns. There are ⌊(characters − 2·length) / step⌋ + 1.
///
/// Samples (2, length) are ids, in the order models::transformer takes its inputs: those that the decoder sees, which
/// begin one character before the ones to be learnt, then those of the encoder. Targets (length) are the window behind.
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

/// What is learnt from, and what is tested on: pairs of the first nine tenths of a text, and of the last.
struct text_pair_data {
  character_pairs train, test;
};

/// The pairs of a text file. Throws: as text_corpus and character_pairs, of which one must fit a tenth.
/// Example: const rp::text_pair_data text = rp::text_pairs("nietzsche.txt", {.length = 64, .step = 128});
[[nodiscard]] inline text_pair_data text_pairs(const std::string& path, const character_pairs_options& options = {},
                                               const text_corpus_options& reading = {}) {
  auto [learnt, tested] = detail::nine_tenths("text_pairs", path, reading);
  require<value_error>(options.length < 1 || tested.size() >= checked_mul(2, options.length),
                       "text_pairs: the last tenth of ", path, " has ", tested.size(),
                       " characters; must have two windows of ", options.length);
  return {character_pairs(std::move(learnt), options), character_pairs(std::move(tested), options)};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
