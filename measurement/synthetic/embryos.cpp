// SPDX-License-Identifier: MIT
#include "embryos.hpp"

#include <new>
#include <utility>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/files.hpp>
#include <ridgepoint/data/png.hpp>

#include "class_folders.hpp"

namespace synthetic {

namespace rp = ridgepoint;

namespace {

using rp::detail::png_allocate, rp::detail::png_complaint, rp::detail::png_release, rp::detail::png_succeeds;

/// Encoder of a PNG file in memory: grey, 8 bits.
class png_writer {
 public:
  png_writer() {
    png_ = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &complaint_, png_complaint::fail, png_complaint::ignore,
                                     nullptr, png_allocate, png_release);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_write_struct(&png_, nullptr);
      throw std::bad_alloc();
    }
  }
  png_writer(const png_writer&) = delete;
  png_writer& operator=(const png_writer&) = delete;
  ~png_writer() { png_destroy_write_struct(&png_, &info_); }

  /// Throws: std::bad_alloc; no other error occurs in memory.
  [[nodiscard]] std::string pack(const rp::grey_image& image) {
    const bool packed = png_succeeds(png_, [&, this] {
      png_set_write_fn(png_, &bytes_, append, nullptr);
      png_set_IHDR(png_, info_, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 8,
                   PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
      png_set_compression_level(png_, 1);  // for noisy images a third of the time of level 6, for a tenth more bytes
      png_set_filter(png_, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
      png_write_info(png_, info_);
      for (rp::index_t y = 0; y < image.height; ++y) png_write_row(png_, image.pixels.data() + y * image.width);
      png_write_end(png_, nullptr);
    });
    if (!packed) throw std::bad_alloc();
    return std::move(bytes_);
  }

 private:
  static void append(png_structp png, png_bytep from, std::size_t count) {
    bool fits = true;
    try {
      static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(from), count);
    } catch (...) {  // must not pass through libpng
      fits = false;
    }
    if (!fits) png_error(png, "out of memory");
  }

  std::string bytes_;
  png_complaint complaint_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

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
                     png_writer().pack(painter.draw(cells_of(embryo, image), random)));
    }
    if (progress) progress((embryo + 1) * options.images, total);
  }
}

}  // namespace synthetic
