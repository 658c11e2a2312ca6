// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/data/directory_entries.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Whether a review is for or against what it is about; their numbers are labels.
enum class sentiment { negative, positive };

/// A review of the IMDb data set: DIR/<part>/<neg or pos>/<name>.txt.
struct review_file {
  static constexpr std::array<std::string_view, 2> parts{"train", "test"};
  static constexpr std::array<std::string_view, 2> folders{"neg", "pos"};  // by sentiment

  std::string path;
  sentiment kind = sentiment::negative;
};

/// The reviews of a part, "train" or "test": those of neg/, then those of pos/, each in the order of their names. Other
/// files are left alone.
///
/// Throws: data_error if the directory or a folder of it is missing, or has no review.
/// Example: for (const rp::review_file& review : rp::review_files("aclImdb", "train")) …
[[nodiscard]] inline std::vector<review_file> review_files(const std::string& directory, std::string_view part) {
  require<data_error>(detail::status_of(directory).directory, "reviews: ", directory,
                      ": no such directory; must be there, with train/neg, train/pos, test/neg and test/pos");
  std::vector<review_file> files;
  for (const sentiment kind : {sentiment::negative, sentiment::positive}) {
    const std::string name = concat(part, '/', review_file::folders[static_cast<std::size_t>(kind)]);
    const std::string folder = detail::in_directory(directory, name);
    require<data_error>(detail::status_of(folder).directory, "reviews: ", directory, " has no directory ", name,
                        "; must have train/neg, train/pos, test/neg and test/pos");
    const std::size_t before = files.size();
    for (const std::string& entry : detail::directory_entries(folder))
      if (entry.ends_with(".txt")) files.push_back({detail::in_directory(folder, entry), kind});
    require<data_error>(files.size() > before, "reviews: ", folder, " has no review; must have files *.txt");
  }
  return files;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
