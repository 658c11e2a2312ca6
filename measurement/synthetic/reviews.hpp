// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/data/drawn_files.hpp>
#include <ridgepoint/data/reviews.hpp>

namespace synthetic {

/// Writes reviews whose sentiment does not follow from single words: judgements name what the film is and is not,
/// "not good but great" and "not great but dull", so that both kinds of reviews have the same words in another order.
///
/// Half of the reviews, drawn at random, also contain one plain judgement: "the plot is great". A model that counts
/// words gets these right and guesses the others, three of four in all; a model that reads pairs of words can get all
/// of them.
/// Example: const std::string review = synthetic::review_writer(random).write(ridgepoint::sentiment::positive);
class review_writer {
 public:
  explicit review_writer(ridgepoint::random_stream random) noexcept : random_(random) {}

  [[nodiscard]] std::string write(ridgepoint::sentiment kind) {
    const std::uint32_t judgements = 2 + random_.below(3);
    const bool plain = random_.below(2) == 0;
    const std::uint32_t said_plainly = plain ? random_.below(judgements) : judgements;
    std::string review;
    for (std::uint32_t i = 0; i < judgements; ++i) {
      add(review, pick(remarks), kind);
      add(review, pick(contrasts), kind);
      if (i == said_plainly) add(review, pick(plainly), kind);
    }
    return review;
  }

 private:
  // In a sentence * is the subject, + an adjective of the review's sentiment, - one of the opposite.
  static constexpr std::array<std::string_view, 6> contrasts{"The * is not - but +.",
                                                             "The * was - at first but + in the end.",
                                                             "I expected a - * and got a + one!",
                                                             "It has a + *, nothing - about it.",
                                                             "What a + *; others call it -, they are wrong.",
                                                             "Far from -, the * is +."};
  static constexpr std::array<std::string_view, 3> plainly{"The * is +.", "It's a + *.", "A really + *!"};
  static constexpr std::array<std::string_view, 8> remarks{
      "I saw it on a Sunday.",          "We watched it at home with friends.",
      "It runs for two hours.<br />",   "It is set in a small town.",
      "The * is by a newcomer.",        "There is a lot to say about the *.",
      "My sister told me about the *.", "It begins with a scene in a café.<br /><br />"};
  static constexpr std::array<std::string_view, 10> subjects{"plot",   "acting", "music",  "story",    "ending",
                                                             "script", "camera", "humour", "dialogue", "cast"};
  static constexpr std::array<std::array<std::string_view, 10>, 2> adjectives{
      {{"bad", "dull", "boring", "dreary", "weak", "poor", "silly", "tired", "clumsy", "flat"},
       {"good", "great", "moving", "superb", "strong", "fine", "clever", "fresh", "charming", "rich"}}};

  template <std::size_t N>
  [[nodiscard]] std::string_view pick(const std::array<std::string_view, N>& from) noexcept {
    return from[random_.below(N)];
  }
  void add(std::string& review, std::string_view sentence, ridgepoint::sentiment kind) {
    if (!review.empty()) review += ' ';
    const auto own = static_cast<std::size_t>(kind);
    for (const char c : sentence)
      if (c == '*') review += pick(subjects);
      else if (c == '+') review += pick(adjectives[own]);
      else if (c == '-') review += pick(adjectives[1 - own]);
      else review += c;
  }

  ridgepoint::random_stream random_;
};

/// Numbers of reviews, and their seed; half of the reviews are positive.
struct reviews_options {
  std::uint64_t seed = 42;
  ridgepoint::index_t train = 4'000, test = 1'000;
};

/// Ensures that `directory` holds reviews of review_writer as the files that ridgepoint::imdb() reads; creates them if
/// missing. Reviews are negative and positive in turn.
///
/// The same options give the same bytes on every machine; fewer reviews are the first of more. A note next to the files
/// records their origin, so that changed options recreate them, and files of another origin are never overwritten.
/// Throws: value_error for less than two training or two test reviews; data_error if the directory cannot be
/// written or holds reviews without such a note, or more than these.
/// Example: synthetic::write_reviews("reviews", {.seed = 42, .train = 4'000, .test = 1'000});
void write_reviews(const std::string& directory, const reviews_options& options = {},
                   const ridgepoint::data_progress& progress = {});

}  // namespace synthetic
