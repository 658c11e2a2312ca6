// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <ridgepoint/data/character_vocabulary.hpp>
#include <ridgepoint/data/lower_case.hpp>
#include <ridgepoint/data/read_text.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// How a text is read.
struct text_corpus_options {
  bool lower_case = true;                             // capital letters become small ones
  std::uint64_t most_bytes = std::uint64_t{1} << 28;  // of the file; what is larger is refused
};

/// A text as the ids of its characters. Copies, and parts of it, share them.
///
/// Memory: 4 bytes a character beside twice the file while it is read.
/// Example:
///   const rp::text_corpus text("nietzsche.txt");
///   text.vocabulary().decode(text.ids().subspan(0, 7)) == "preface"
class text_corpus {
 public:
  /// Throws: data_error, naming the file, if it cannot be read, is too large or not UTF-8 (read_text()), or is empty.
  explicit text_corpus(const std::string& path, const text_corpus_options& options = {}) {
    std::string text = read_text(path, options.most_bytes);
    require<data_error>(!text.empty(), path, ": is empty; must have a character");
    if (options.lower_case) text = lower_case(text);
    vocabulary_ = std::make_shared<const character_vocabulary>(text);
    all_ids_ = std::make_shared<const std::vector<std::int32_t>>(vocabulary_->encode(text));
    ids_ = *all_ids_;
  }

  /// Characters.
  [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(ids_.size()); }
  [[nodiscard]] std::span<const std::int32_t> ids() const noexcept { return ids_; }
  [[nodiscard]] const character_vocabulary& vocabulary() const noexcept { return *vocabulary_; }
  /// `count` characters from `first` on, with the vocabulary of the whole.
  /// Throws: value_error unless there are so many, and one at least.
  [[nodiscard]] text_corpus part(index_t first, index_t count) const {
    require<value_error>(first >= 0 && count >= 1 && first <= size() && count <= size() - first,
                         "text_corpus: part of ", count, " characters from ", first, " on; there must be so many, of ",
                         size());
    text_corpus some = *this;
    some.ids_ = ids_.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    return some;
  }

 private:
  std::shared_ptr<const character_vocabulary> vocabulary_;
  std::shared_ptr<const std::vector<std::int32_t>> all_ids_;
  std::span<const std::int32_t> ids_;  // of those
};

namespace detail {
/// What is learnt from, and what is tested on: the first nine tenths of a text, and the last.
struct text_parts {
  text_corpus train, test;
};
/// Those of a text file.
/// Throws: as text_corpus; value_error, which begins with `who`, for less than 10 characters.
[[nodiscard]] inline text_parts nine_tenths(std::string_view who, const std::string& path,
                                            const text_corpus_options& reading) {
  const text_corpus all(path, reading);
  const index_t learnt = all.size() - all.size() / 10;
  require<value_error>(learnt < all.size(), who, ": ", path, " has ", all.size(), " characters; must have 10 at least");
  return {all.part(0, learnt), all.part(learnt, all.size() - learnt)};
}
}  // namespace detail

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
