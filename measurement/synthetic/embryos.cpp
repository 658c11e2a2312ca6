// SPDX-License-Identifier: MIT
#include "embryos.hpp"

#include <utility>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/files.hpp>

#include "class_folders.hpp"
#include "packed_png.hpp"

namespace synthetic {

namespace rp = ridgepoint;

namespace {

int cells_of(rp::index_t embryo, rp::index_t image) {
  return static_cast<int>((embryo + image) % embryo_painter::most_cells) + 1;
}
/// "2/E017_F004.png".
std::string name_of(rp::index_t embryo, rp::index_t image) {
  return rp::concat(cells_of(embryo, image), "/E", padded(embryo, 3), "_F", padded(image, 3), ".png");
}

}  // namespace

void write_embryos(const std::string& directory, const embryos_options& options, const rp::data_progress& progress) {
  rp::require<rp::value_error>(options.embryos >= 6 && options.images >= 4, "synthetic embryos: ", options.embryos,
                               " embryos of ", options.images, " images; must be >= 6 and >= 4");
  const rp::index_t total = rp::checked_mul(options.embryos, options.images);
  rp::detail::drawn_files files{
      .what = "synthetic embryos",
      .directory = directory,
      .note = "synthetic-embryos.txt",
      .origin = rp::concat("ridgepoint synthetic embryos, version 1, seed ", options.seed, ", ", options.embryos,
                           " embryos of ", options.images, " images\n"),
      .names = {},
      .others = {}};
  for (rp::index_t embryo = 0; embryo < options.embryos; ++embryo)
    for (rp::index_t image = 0; image < options.images; ++image) files.names.push_back(name_of(embryo, image));
  std::vector<std::string> folders;
  for (int cells = 1; cells <= embryo_painter::most_cells; ++cells) folders.push_back(rp::concat(cells));
  if (!begin_drawing(std::move(files), folders)) return;

  for (rp::index_t embryo = 0; embryo < options.embryos; ++embryo) {
    constexpr std::uint64_t embryo_stream = std::uint64_t{1} << 62;  // distinct from every image's stream
    const auto number = static_cast<std::uint64_t>(embryo);
    embryo_painter painter(rp::random_stream(options.seed, embryo_stream + number));
    for (rp::index_t image = 0; image < options.images; ++image) {
      const rp::random_stream random(options.seed, number << 32 | static_cast<std::uint64_t>(image));
      rp::write_file(rp::detail::in_directory(directory, name_of(embryo, image)),
                     pack_png(painter.draw(cells_of(embryo, image), random)));
    }
    if (progress) progress((embryo + 1) * options.images, total);
  }
}

}  // namespace synthetic
