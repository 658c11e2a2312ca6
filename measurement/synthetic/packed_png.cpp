// SPDX-License-Identifier: MIT
#include "packed_png.hpp"

#include <new>
#include <utility>

#include <ridgepoint/data/png.hpp>

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

}  // namespace

std::string pack_png(const rp::grey_image& image) { return png_writer().pack(image); }

}  // namespace synthetic
