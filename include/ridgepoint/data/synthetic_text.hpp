// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/core/utf8.hpp>
#include <ridgepoint/data/drawn_files.hpp>
#include <ridgepoint/data/markov_words.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Which text is written; by default one of the size of Keras' nietzsche.txt.
struct synthetic_text_options {
  std::uint64_t seed = 42;
  index_t characters = 600'000;
  int order = 2;  // words that the next one depends on: 1 to 3
};
/// The file in its directory.
inline constexpr std::string_view synthetic_text_name = "text.txt";

/// Makes sure that `directory` holds text.txt, in UTF-8 and the language of data/markov_words.hpp, writing it if it
/// does not.
///
/// The same options give the same bytes on every machine, and fewer characters the beginning of more. A note beside it
/// says how it was made, so that changed options write another, and that a text of another origin is never overwritten.
/// Throws: value_error for less than one character or an order that is not 1 to 3; data_error if the directory cannot
/// be written or holds a text without such a note.
/// Example: rp::write_synthetic_text("text", {.seed = 42, .characters = 600'000});
inline void write_synthetic_text(const std::string& directory, const synthetic_text_options& options = {},
                                 const data_progress& progress = {}) {
  require<value_error>(options.characters >= 1, "synthetic text: characters is ", options.characters, "; must be >= 1");
  markov_words words(options.order, options.seed);
  if (!detail::begin_drawing({.what = "a synthetic text",
                              .directory = directory,
                              .note = "synthetic-text.txt",
                              .origin = concat("ridgepoint synthetic text, version 1, seed ", options.seed, ", ",
                                               options.characters, " characters, order ", options.order, '\n'),
                              .names = {std::string(synthetic_text_name)},
                              .others = {}}))
    return;
  atomic_file file(detail::in_directory(directory, synthetic_text_name));
  for (index_t written = 0; written < options.characters;) {
    constexpr index_t told_every = 1 << 16;
    const index_t before = written;
    const std::string_view word = words.next();
    std::size_t bytes = 0;  // of the word, or of what there is room for
    for (; bytes < word.size() && written < options.characters; ++written)
      bytes += detail::first_code_point(word.substr(bytes)).bytes;
    file.write(word.substr(0, bytes));
    if (progress && (written == options.characters || written / told_every > before / told_every))
      progress(written, options.characters);
  }
  file.commit();
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
