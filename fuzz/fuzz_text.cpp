// SPDX-License-Identifier: MIT
// Reads any bytes as a text, and as a review: characters and words that survive a round trip, or a data_error.
#include <fuzz/input.hpp>

#include <ridgepoint/data/reviews.hpp>
#include <ridgepoint/data/text_corpus.hpp>

namespace rp = ridgepoint;

namespace {

void read_characters(const std::string& path) {
  const rp::text_corpus text(path);
  const std::string lower = text.vocabulary().decode(text.ids());
  if (lower != rp::lower_case(rp::read_text(path, 1 << 20))) __builtin_trap();
  if (lower != rp::lower_case(lower)) __builtin_trap();
}

void read_words(const std::string& path) {
  const std::string text = rp::read_text(path, 1 << 20);
  const rp::word_vocabulary words({&text, 1}, 1 << 20);
  std::string again;
  for (const std::int32_t id : words.encode(text)) {
    if (id == rp::word_ids::unknown) __builtin_trap();
    again += words.word(id);
    again += ' ';
  }
  if (words.encode(again) != words.encode(text)) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = as_file(data, size);
  for (const auto& read : {read_characters, read_words}) try {
      read(path);
    } catch (const rp::data_error&) {
    }
  return 0;
}
