// SPDX-License-Identifier: MIT
#include "reviews.hpp"

#include <utility>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/files.hpp>

#include "class_folders.hpp"

namespace synthetic {

namespace rp = ridgepoint;

namespace {
rp::sentiment sentiment_of(rp::index_t review) noexcept {
  return review % 2 == 0 ? rp::sentiment::negative : rp::sentiment::positive;
}
/// "train/pos/00017.txt".
std::string name_of(std::string_view part, rp::index_t review) {
  return rp::concat(part, '/', rp::review_file::folders[static_cast<std::size_t>(sentiment_of(review))], '/',
                    padded(review, 5), ".txt");
}
}  // namespace

void write_reviews(const std::string& directory, const reviews_options& options, const rp::data_progress& progress) {
  rp::require<rp::value_error>(options.train >= 2 && options.test >= 2, "synthetic reviews: ", options.train,
                               " train and ", options.test, " test reviews; must be >= 2 each");
  const rp::index_t total = rp::checked_add(options.train, options.test);
  rp::detail::drawn_files files{
      .what = "synthetic reviews",
      .directory = directory,
      .note = "synthetic-reviews.txt",
      .origin = rp::concat("ridgepoint synthetic reviews, version 1, seed ", options.seed, ", ", options.train,
                           " train and ", options.test, " test reviews\n"),
      .names = {},
      .others = {}};
  const auto name = [&](rp::index_t i) {
    return i < options.train ? name_of(rp::review_file::parts[0], i)
                             : name_of(rp::review_file::parts[1], i - options.train);
  };
  for (rp::index_t i = 0; i < total; ++i) files.names.push_back(name(i));
  std::vector<std::string> folders;
  for (const std::string_view part : rp::review_file::parts)
    for (const std::string_view kind : rp::review_file::folders) folders.push_back(rp::concat(part, '/', kind));
  if (!begin_drawing(std::move(files), folders)) return;

  for (rp::index_t i = 0; i < total; ++i) {
    constexpr std::uint64_t test_stream = std::uint64_t{1} << 32;  // separates test reviews from training reviews
    const rp::index_t review = i < options.train ? i : i - options.train;
    const rp::random_stream random(options.seed,
                                   (i < options.train ? 0 : test_stream) + static_cast<std::uint64_t>(review));
    rp::write_file(rp::detail::in_directory(directory, name(i)), review_writer(random).write(sentiment_of(review)));
    if (progress && (i % 512 == 511 || i + 1 == total)) progress(i + 1, total);
  }
}

}  // namespace synthetic
