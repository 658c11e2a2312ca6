// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/data/drawn_files.hpp>
#include <ridgepoint/data/reviews.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Numbers of reviews, and their seed; half of the reviews are positive.
struct synthetic_reviews_options {
  std::uint64_t seed = 42;
  index_t train = 4'000, test = 1'000;
};

namespace detail {

/// Returns the sentiment of a review, negative and positive in turn; names are "train/pos/00017.txt".
[[nodiscard]] inline sentiment synthetic_sentiment(index_t review) noexcept {
  return review % 2 == 0 ? sentiment::negative : sentiment::positive;
}
[[nodiscard]] inline std::string synthetic_review_name(std::string_view part, index_t review) {
  const std::string digits = concat(review);
  return concat(part, '/', review_file::folders[static_cast<std::size_t>(synthetic_sentiment(review))], '/',
                std::string(5 - std::min<std::size_t>(digits.size(), 5), '0'), digits, ".txt");
}

}  // namespace detail

/// Ensures that `directory` holds reviews of data/reviews.hpp as the files that imdb() reads; creates them if
/// missing.
///
/// The same options give the same bytes on every machine; fewer reviews are the first of more. A note next to the files
/// records their origin, so that changed options recreate them, and files of another origin are never overwritten.
/// Throws: value_error for less than two training or two test reviews; data_error if the directory cannot be
/// written or holds reviews without such a note, or more than these.
/// Example: rp::write_synthetic_reviews("reviews", {.seed = 42, .train = 4'000, .test = 1'000});
inline void write_synthetic_reviews(const std::string& directory, const synthetic_reviews_options& options = {},
                                    const data_progress& progress = {}) {
  require<value_error>(options.train >= 2 && options.test >= 2, "synthetic reviews: ", options.train, " train and ",
                       options.test, " test reviews; must be >= 2 each");
  const index_t total = checked_add(options.train, options.test);
  detail::drawn_files files{.what = "synthetic reviews",
                            .directory = directory,
                            .note = "synthetic-reviews.txt",
                            .origin = concat("ridgepoint synthetic reviews, version 1, seed ", options.seed, ", ",
                                             options.train, " train and ", options.test, " test reviews\n"),
                            .names = {},
                            .others = {}};
  const auto name = [&](index_t i) {
    return i < options.train ? detail::synthetic_review_name(review_file::parts[0], i)
                             : detail::synthetic_review_name(review_file::parts[1], i - options.train);
  };
  for (index_t i = 0; i < total; ++i) files.names.push_back(name(i));
  for (const std::string_view part : review_file::parts)
    for (const std::string_view kind : review_file::folders)
      if (const std::string folder = detail::in_directory(directory, concat(part, '/', kind));
          detail::status_of(folder).directory)
        for (const std::string& file : detail::directory_entries(folder))
          files.others.push_back(concat(part, '/', kind, '/', file));
  std::sort(files.names.begin(), files.names.end());
  std::erase_if(files.others, [&](const std::string& file) {
    return std::binary_search(files.names.begin(), files.names.end(), file);
  });
  if (!detail::begin_drawing(files)) return;

  for (const std::string_view part : review_file::parts)
    for (const std::string_view kind : review_file::folders)
      detail::make_directories(detail::in_directory(directory, concat(part, '/', kind)));
  for (index_t i = 0; i < total; ++i) {
    constexpr std::uint64_t test_stream = std::uint64_t{1} << 32;  // separates test reviews from training reviews
    const index_t review = i < options.train ? i : i - options.train;
    const random_stream random(options.seed,
                               (i < options.train ? 0 : test_stream) + static_cast<std::uint64_t>(review));
    write_file(detail::in_directory(directory, name(i)),
               review_writer(random).write(detail::synthetic_sentiment(review)));
    if (progress && (i % 512 == 511 || i + 1 == total)) progress(i + 1, total);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
