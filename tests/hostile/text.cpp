// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>

#include <ridgepoint/data/imdb.hpp>
#include <ridgepoint/data/text_corpus.hpp>
#include <support/allocations.hpp>
#include <support/mutate.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;
using namespace std::string_literals;

namespace {

const std::string text = "Ein Bär, γάλα; 日本 😀.\nDer Bär ist groß, der Bär brummt: \"Brumm!\"\r\n";
/// Truncated, stray, overlong, surrogates, beyond Unicode, a byte order mark, NUL, separators of other scripts.
const std::array<std::string, 13> words{"\xC3"s,     "\xE2\x82"s,     "\xF0\x9F\x98"s,         "\x80"s,
                                        "\xC0\x80"s, "\xED\xA0\x80"s, "\xF4\x90\x80\x80"s,     "\xEF\xBB\xBF"s,
                                        "\0"s,       "\xE2\x80\xA8"s, "\xF8\x88\x80\x80\x80"s, "\xC2\x85"s,
                                        "\xFE\xFF"s};

/// Reads a file: either succeeds or throws a data_error that names it. Checks memory ≤ the given limit.
template <class Read>
bool read_hostile(const std::filesystem::path& file, const std::string& bytes, std::size_t most, const Read& read) {
  write_bytes(file, bytes);
  allocations::reset();
  const std::size_t before = allocations::live();
  bool taken = false;
  try {
    read(file.string());
    taken = true;
  } catch (const rp::data_error& refusal) {
    CHECK(std::string_view(refusal.what()).find(file.string()) != std::string_view::npos);
  }
  CHECK(allocations::peak() - before <= most);
  CHECK(allocations::live() <= before + 256);  // no leak; the caught message may still be alive
  return taken;
}

/// One review of each kind for training and testing.
void write_reviews(const temporary_directory& there) {
  for (const char* folder : {"train/neg", "train/pos", "test/neg", "test/pos"}) {
    std::filesystem::create_directories(there / folder);
    write_bytes(there / folder / "0.txt", text);
  }
}

}  // namespace

TEST_CASE("damaged texts: no crash, a lossless decoding, bounded memory") {
  const temporary_directory there;
  int taken = 0;
  const int count = mutate::for_each(text, 4000, words, [&](const std::string& mutant) {
    const std::size_t most = 6 * mutant.size() + (std::size_t{1} << 18);  // 2¹⁸ for the table of characters
    taken += read_hostile(there / "file", mutant, most, [&](const std::string& path) {
      const rp::text_corpus corpus(path, {.lower_case = false});
      const std::string_view whole = mutant;
      CHECK(corpus.vocabulary().decode(corpus.ids()) == whole.substr(whole.starts_with("\xEF\xBB\xBF") ? 3 : 0));
    });
  });
  CHECK(count >= 4000);
  CHECK(taken > 400);  // one letter became another
  CHECK(taken < count / 2);
  MESSAGE(count, " mutants, ", taken, " read");
}

TEST_CASE("a text of all Unicode characters takes no more memory than documented") {
  const temporary_directory there;
  std::string all;
  for (char32_t c = 1; c < 0x110000; ++c)
    if (c < 0xD800 || c >= 0xE000) rp::detail::append_utf8(all, c);
  CHECK(read_hostile(there / "file", all, 6 * all.size() + (std::size_t{1} << 18), [](const std::string& path) {
    CHECK(rp::text_corpus(path, {.lower_case = false}).vocabulary().size() == 0x10F7FF);
  }));
  CHECK_FALSE(read_hostile(there / "file", all + "\xF4\x8F\xBF", 6 * all.size(),
                           [](const std::string& path) { static_cast<void>(rp::text_corpus(path)); }));
}

TEST_CASE("a damaged review: no crash, ids of the vocabulary, bounded memory") {
  const temporary_directory there;
  write_reviews(there);
  int taken = 0;
  const int count = mutate::at_random(text, 1500, words, [&](const std::string& mutant) {
    taken += read_hostile(there / "train/pos/1.txt", mutant, std::size_t{1} << 17, [&](const std::string&) {
      const auto data = rp::imdb(there.path(), {.vocabulary = 9, .length = 30, .bigrams = true, .most_ids = 400});
      std::array<float, 30> x;
      std::array<float, 1> target;
      const rp::index_t row = 2;
      data.train.gather({&row, 1}, x.data(), target.data());
      const auto known = [&](float id) { return id >= 0 && id < static_cast<float>(data.vocabulary); };
      CHECK(std::all_of(x.begin(), x.end(), known));
    });
  });
  CHECK(taken > 100);
  CHECK(taken < count / 2);
}

TEST_CASE("a review with too many different short words is refused before it takes memory") {
  const temporary_directory there;
  write_reviews(there);
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += std::to_string(i) + ' ';
  write_bytes(there / "train/neg/0.txt", many);
  allocations::reset();
  const std::size_t before = allocations::live();
  CHECK_THROWS_AS(static_cast<void>(rp::imdb(there.path(), {.vocabulary = 9, .most_ids = 1000})), rp::value_error);
  CHECK(allocations::peak() - before <= 3 * many.size() + (std::size_t{1} << 18));
}
