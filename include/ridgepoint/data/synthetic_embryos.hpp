// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <ridgepoint/data/draw_embryo.hpp>
#include <ridgepoint/data/drawn_files.hpp>
#include <ridgepoint/data/embryos.hpp>
#include <ridgepoint/data/write_png.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// How many embryos are drawn. As it is, 80 of them are learnt from, in 48,000 samples: a hundred steps of study C.
struct synthetic_embryos_options {
  std::uint64_t seed = 42;
  index_t embryos = 100, images = 30;  // of each
};

namespace detail {

/// "2/E017_F004.png": each embryo is drawn with one, two, three and four cells in turn.
[[nodiscard]] inline int synthetic_cells(index_t embryo, index_t image) {
  return static_cast<int>((embryo + image) % embryo_painter::most_cells) + 1;
}
[[nodiscard]] inline std::string synthetic_embryo_name(index_t embryo, index_t image) {
  const auto digits = [](index_t number) {
    const std::string all = concat(number);
    return concat(std::string(3 - std::min<std::size_t>(all.size(), 3), '0'), all);
  };
  return concat(synthetic_cells(embryo, image), "/E", digits(embryo), "_F", digits(image), ".png");
}

}  // namespace detail

/// Makes sure that `directory` holds images of synthetic embryos (data/draw_embryo.hpp) as the tree of PNG files that
/// embryos() reads, drawing them if it does not.
///
/// The same options give the same pixels on every machine, and of one libpng and zlib the same bytes. A note beside
/// them says how they were made, so that another seed redraws them, and that files of another origin are never
/// overwritten.
/// Throws: value_error for less than six embryos, of which 0 and 5 are tested on, or four images of each; data_error if
/// the directory cannot be written or holds images without such a note, or more than these.
/// Example: rp::write_synthetic_embryos("embryos", {.seed = 42, .embryos = 100, .images = 30});
inline void write_synthetic_embryos(const std::string& directory, const synthetic_embryos_options& options = {},
                                    const data_progress& progress = {}) {
  require<value_error>(options.embryos >= 6 && options.images >= 4, "synthetic embryos: ", options.embryos,
                       " embryos of ", options.images, " images; must be >= 6 and >= 4");
  const index_t total = checked_mul(options.embryos, options.images);
  detail::drawn_files files{.what = "synthetic embryos",
                            .directory = directory,
                            .note = "synthetic-embryos.txt",
                            .origin = concat("ridgepoint synthetic embryos, version 1, seed ", options.seed, ", ",
                                             options.embryos, " embryos of ", options.images, " images\n"),
                            .names = {},
                            .others = {}};
  for (index_t embryo = 0; embryo < options.embryos; ++embryo)
    for (index_t image = 0; image < options.images; ++image)
      files.names.push_back(detail::synthetic_embryo_name(embryo, image));
  for (int cells = 1; cells <= embryo_painter::most_cells; ++cells)
    if (const std::string of_class = detail::in_directory(directory, concat(cells));
        detail::status_of(of_class).directory)
      for (const std::string& name : detail::directory_entries(of_class))
        files.others.push_back(concat(cells, '/', name));
  std::sort(files.names.begin(), files.names.end());
  std::erase_if(files.others, [&](const std::string& name) {
    return std::binary_search(files.names.begin(), files.names.end(), name);
  });
  if (!detail::begin_drawing(files)) return;

  for (int cells = 1; cells <= embryo_painter::most_cells; ++cells)
    detail::make_directories(detail::in_directory(directory, concat(cells)));
  for (index_t embryo = 0; embryo < options.embryos; ++embryo) {
    constexpr std::uint64_t embryo_stream = std::uint64_t{1} << 62;  // never that of an image
    const auto number = static_cast<std::uint64_t>(embryo);
    embryo_painter painter(random_stream(options.seed, embryo_stream + number));
    for (index_t image = 0; image < options.images; ++image) {
      const random_stream random(options.seed, number << 32 | static_cast<std::uint64_t>(image));
      write_png(detail::in_directory(directory, detail::synthetic_embryo_name(embryo, image)),
                painter.draw(detail::synthetic_cells(embryo, image), random));
    }
    if (progress) progress((embryo + 1) * options.images, total);
  }
}

/// Synthetic embryos from `directory`, drawn into it first unless they are there: see write_synthetic_embryos().
[[nodiscard]] inline embryo_data synthetic_embryos(const std::string& directory,
                                                   const synthetic_embryos_options& options = {},
                                                   const data_progress& progress = {}) {
  write_synthetic_embryos(directory, options, progress);
  return embryos(directory);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
