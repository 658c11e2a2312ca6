// SPDX-License-Identifier: MIT
#include "text.hpp"

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/printable.hpp>

namespace synthetic {

namespace rp = ridgepoint;

void write_text(const std::string& directory, const text_options& options, const rp::data_progress& progress) {
  rp::require<rp::value_error>(options.characters >= 1, "synthetic text: characters is ", options.characters,
                               "; must be >= 1");
  markov_words words(options.order, options.seed);
  if (!rp::detail::begin_drawing(
          {.what = "a synthetic text",
           .directory = directory,
           .note = "synthetic-text.txt",
           .origin = rp::concat("ridgepoint synthetic text, version 1, seed ", options.seed, ", ", options.characters,
                                " characters, order ", options.order, '\n'),
           .names = {std::string(text_name)},
           .others = {}}))
    return;
  rp::atomic_file file(rp::detail::in_directory(directory, text_name));
  for (rp::index_t written = 0; written < options.characters;) {
    constexpr rp::index_t report_every = 1 << 16;
    const rp::index_t before = written;
    const std::string_view word = words.next();
    std::size_t bytes = 0;  // of the word, or of its part that fits
    for (; bytes < word.size() && written < options.characters; ++written)
      bytes += rp::detail::first_code_point(word.substr(bytes)).bytes;
    file.write(word.substr(0, bytes));
    if (progress && (written == options.characters || written / report_every > before / report_every))
      progress(written, options.characters);
  }
  file.commit();
}

}  // namespace synthetic
