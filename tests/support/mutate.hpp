// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include <ridgepoint/core/random.hpp>

/// Accidental and malicious damage to files: equal mutants for equal seeds on every platform.
namespace mutate {

/// Numbers that often cause errors, in both byte orders.
inline std::string awkward_number(ridgepoint::random_stream& random) {
  constexpr std::uint64_t numbers[] = {0,          1,          0x7F,       0x80,       0xFF,        0xFFFF,
                                       0x10001,    0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x7FFFFFFFFFFFFFFF,
                                       ~0ULL / 28, ~0ULL / 4,  1ULL << 61, 1ULL << 63, ~0ULL};
  const std::uint64_t number = numbers[random.below(std::size(numbers))];
  const std::uint32_t bytes = 1U << random.below(4);
  std::string text;
  for (std::uint32_t i = 0; i < bytes; ++i) text += static_cast<char>(number >> 8 * i);
  if (random.below(2) == 0) std::reverse(text.begin(), text.end());
  return text;
}

/// Words of JSON and of its readers.
inline constexpr const char* json_words[] = {"{",
                                             "}",
                                             "[",
                                             "]",
                                             ",",
                                             ":",
                                             "\"",
                                             "null",
                                             "true",
                                             "NaN",
                                             "1e9",
                                             "-1",
                                             "1e999",
                                             "-0.0",
                                             "Infinity",
                                             "\\ud800",
                                             "\\u0000",
                                             "\xff",
                                             "\xef\xbb\xbf",
                                             "\r\n",
                                             "//",
                                             "1e-400",
                                             "99999999999999999999",
                                             "\"name\":"};

/// One random change: bits, bytes, numbers, words of the format,
/// pieces removed, doubled, moved or added, the end cut off.
template <class Words>
void change(std::string& bytes, ridgepoint::random_stream& random, const Words& words) {
  const auto within = [&](std::size_t size) { return size == 0 ? 0 : random.below(static_cast<std::uint32_t>(size)); };
  const std::size_t at = within(bytes.size()), length = within(std::min<std::size_t>(bytes.size() - at, 64)) + 1;
  const auto overwrite = [&](std::string_view by) { bytes.replace(at, std::min(by.size(), bytes.size() - at), by); };
  if (bytes.empty()) bytes = awkward_number(random);
  switch (random.below(10)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
      break;
    case 1:
      bytes[at] = static_cast<char>(random());
      break;
    case 2:
      overwrite(awkward_number(random));
      break;
    case 3:
      bytes.erase(at, length);
      break;
    case 4:
      bytes.insert(at, bytes.substr(at, length));
      break;
    case 5:
      bytes.insert(within(bytes.size()), bytes.substr(at, length));
      break;
    case 6:
      bytes.insert(at, awkward_number(random));
      break;
    case 7:
      bytes.resize(at);
      break;
    case 8:
      bytes.append(length, static_cast<char>(random()));
      break;
    default:
      if (std::size(words) != 0) overwrite(words[within(std::size(words))]);
  }
}

/// Calls body(mutant) for `count` mutants of one to eight random changes. Inserts `words`, which the format knows, here
/// and there. Returns count.
template <class Words, class Body>
int at_random(std::string_view bytes, int count, const Words& words, Body&& body) {
  for (int i = 0; i < count; ++i) {
    ridgepoint::random_stream random(1, static_cast<std::uint64_t>(i));
    std::string mutant(bytes);
    for (auto changes = 1 + random.below(8); changes > 0; --changes) change(mutant, random, words);
    body(mutant);
  }
  return count;
}

/// Calls body(mutant) for every prefix of `bytes`, every flip of one bit, and `more` mutants at_random().
/// Returns the number of mutants.
template <class Words, class Body>
int for_each(std::string_view bytes, int more, const Words& words, Body&& body) {
  for (std::size_t size = 0; size < bytes.size(); ++size) body(std::string(bytes.substr(0, size)));
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string mutant(bytes);
    mutant[bit / 8] = static_cast<char>(mutant[bit / 8] ^ (1 << bit % 8));
    body(mutant);
  }
  return static_cast<int>(9 * bytes.size()) + at_random(bytes, more, words, body);
}

}  // namespace mutate
