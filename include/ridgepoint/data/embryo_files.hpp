// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/data/directory_entries.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// An image of study C: DIR/<cells>/<name>.png, where the first number in the name is that of the embryo, as in
/// 2/E017_F004.png: two cells, embryo 17.
struct embryo_file {
  static constexpr int most_cells = 4;

  std::string path;
  int cells = 0;       // 1 … 4
  index_t embryo = 0;  // all images of one are learnt from, or all are tested on

  /// One embryo in five.
  [[nodiscard]] constexpr bool is_test() const noexcept { return embryo % 5 == 0; }
};

namespace detail {

/// The first number in a name. Throws: data_error if there is none, or it has more than nine digits.
[[nodiscard]] inline index_t first_number(const std::string& path, std::string_view name) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto begin = std::find_if(name.begin(), name.end(), digit), end = std::find_if_not(begin, name.end(), digit);
  require<data_error>(begin != end && end - begin <= 9, path,
                      ": must have the number of its embryo in its name, of one to nine digits, as in E017_F004.png");
  index_t number = 0;
  for (auto at = begin; at != end; ++at) number = 10 * number + (*at - '0');
  return number;
}

}  // namespace detail

/// The PNG files of a tree of study C, in the order of their paths. Other files in it are left alone.
///
/// Throws: data_error, naming what it is about: no such directory, one of its four (1, 2, 3, 4) missing or without an
/// image, another directory, or a name without number.
[[nodiscard]] inline std::vector<embryo_file> embryo_files(const std::string& directory) {
  std::vector<embryo_file> files;
  for (const std::string& name : detail::directory_entries(directory))
    require<data_error>((name >= "1" && name <= "4" && name.size() == 1) ||
                            !detail::status_of(detail::in_directory(directory, name)).directory,
                        "embryos: ", directory, " has a directory ", name,
                        "; must be 1, 2, 3 or 4, the number of cells in its images");
  for (int cells = 1; cells <= embryo_file::most_cells; ++cells) {
    const std::string of_class = detail::in_directory(directory, concat(cells));
    require<data_error>(detail::status_of(of_class).directory, "embryos: ", directory, " has no directory ", cells,
                        "; must have 1, 2, 3 and 4, with the images of so many cells");
    const std::size_t before = files.size();
    for (const std::string& name : detail::directory_entries(of_class)) {
      if (!name.ends_with(".png")) continue;
      std::string path = detail::in_directory(of_class, name);
      const index_t embryo = detail::first_number(path, name);
      files.push_back({std::move(path), cells, embryo});
    }
    require<data_error>(files.size() > before, "embryos: ", of_class, " has no image; must have PNG files");
  }
  return files;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
