// SPDX-License-Identifier: MIT
#pragma once

#include <new>
#include <string>

#include <ridgepoint/core/atomic_file.hpp>
#include <ridgepoint/data/grey_image.hpp>
#include <ridgepoint/data/libpng.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// The bytes of a PNG file.
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

  /// Throws: std::bad_alloc; nothing else can go wrong in memory.
  [[nodiscard]] std::string pack(const grey_image& image) {
    const bool packed = png_succeeds(png_, [&, this] {
      png_set_write_fn(png_, &bytes_, append, nullptr);
      png_set_IHDR(png_, info_, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 8,
                   PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
      png_set_compression_level(png_, 1);  // a third of the time of 6 for a tenth more bytes, of noisy images
      png_set_filter(png_, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
      png_write_info(png_, info_);
      for (index_t y = 0; y < image.height; ++y) png_write_row(png_, image.pixels.data() + y * image.width);
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

}  // namespace detail

/// Writes an image as a grey PNG file of 8 bits: whole or not at all. Users link libpng.
///
/// Throws: data_error if it cannot be written; shape_error unless it has pixels, as many as it says, and at most
/// 1,000,000 a side, which is what libpng reads.
/// Example: rp::write_png("black.png", rp::black_image(480, 480));
inline void write_png(const std::string& path, const grey_image& image) {
  constexpr index_t most = 1'000'000;
  require<shape_error>(image.height >= 1 && image.width >= 1 && image.height <= most && image.width <= most,
                       "write_png: an image of ", image.height, " x ", image.width, "; must be >= 1 and <= ", most,
                       " each");
  require<shape_error>(static_cast<index_t>(image.pixels.size()) == image.height * image.width,
                       "write_png: ", image.pixels.size(), " pixels of an image of ", image.height, " x ", image.width,
                       "; must be as many");
  write_file(path, detail::png_writer().pack(image));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
