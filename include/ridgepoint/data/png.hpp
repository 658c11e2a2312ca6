// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <csetjmp>
#include <new>
#include <string>
#include <string_view>

#include <png.h>

#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/files.hpp>
#include <ridgepoint/data/image_processing.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Error state that libpng fills on failure. libpng reports by a jump, which calls no destructors: see png_succeeds().
struct png_complaint {
  std::array<char, 96> text{};

  [[nodiscard]] std::string_view what() const noexcept { return text.data(); }
  [[noreturn]] static void fail(png_structp png, png_const_charp message) {
    auto& complaint = *static_cast<png_complaint*>(png_get_error_ptr(png));
    const std::string_view all(message);
    const std::size_t length = (std::min)(all.size(), complaint.text.size() - 1);
    std::copy_n(all.data(), length, complaint.text.data());
    complaint.text[length] = '\0';
    png_longjmp(png, 1);
  }
  static void ignore(png_structp, png_const_charp) noexcept {}
};

/// Allocates libpng's memory with operator new, so that replaced operators count it.
inline png_voidp png_allocate(png_structp, png_alloc_size_t bytes) { return ::operator new(bytes, std::nothrow); }
inline void png_release(png_structp, png_voidp memory) { ::operator delete(memory); }

/// Calls body(), which must own nothing, because libpng jumps out of it; returns whether it completed.
template <class Body>
[[nodiscard, gnu::noinline]] bool png_succeeds(png_structp png, const Body& body) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  body();
  return true;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Size limits: larger declared images are rejected before memory is allocated.
struct png_limits {
  index_t height = 4096, width = 4096;
};

namespace detail {

/// PNG file whose header has been read.
class png_reader {
 public:
  explicit png_reader(const std::string& path) : file_(path) {
    png_ = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &complaint_, png_complaint::fail, png_complaint::ignore,
                                    nullptr, png_allocate, png_release);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
  }
  png_reader(const png_reader&) = delete;
  png_reader& operator=(const png_reader&) = delete;
  ~png_reader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  struct header {
    index_t height, width, channels;
    int depth, colour;
  };
  /// Throws: data_error if the file does not begin like a PNG file.
  [[nodiscard]] header read_header() {
    call([this] {
      png_set_read_fn(png_, &file_, feed);
      png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);  // texts, profiles: skipped, not kept
      png_read_info(png_, info_);
    });
    return {static_cast<index_t>(png_get_image_height(png_, info_)),
            static_cast<index_t>(png_get_image_width(png_, info_)), png_get_channels(png_, info_),
            png_get_bit_depth(png_, info_), png_get_color_type(png_, info_)};
  }
  /// Reads the image that the header declares, and the file to its end.
  /// Throws: data_error if it is cut off or corrupt.
  void read_rows(const header& h, std::uint8_t* bytes) {
    call([&, this] {
      const int passes = png_set_interlace_handling(png_);
      png_start_read_image(png_);
      for (int pass = 0; pass < passes; ++pass)
        for (index_t y = 0; y < h.height; ++y) png_read_row(png_, bytes + y * h.width * h.channels, nullptr);
      png_read_end(png_, nullptr);
    });
  }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return file_.size_bytes(); }

 private:
  template <class Body>
  void call(const Body& body) {
    if (!png_succeeds(png_, body))
      throw data_error(
          concat(file_.name(), ": cut off, corrupt or no PNG file: ", complaint_.what(), "; must be complete"));
  }
  static void feed(png_structp png, png_bytep to, std::size_t bytes) {
    std::size_t count = 0;
    try {
      count = static_cast<input_file*>(png_get_io_ptr(png))->read(to, bytes);
    } catch (const data_error&) {  // must not pass through libpng
    }
    if (count != bytes) png_error(png, "it ends early");
  }

  input_file file_;
  png_complaint complaint_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

}  // namespace detail

/// Reads a PNG file of 8 bits per channel as a grey image. Colours become luminance: (299·r + 587·g + 114·b +
/// 500) / 1000. Texts, colour profiles and transparent greys are ignored. Users link libpng.
///
/// Checks the header against `limits` and the file's size before allocating pixels (deflate packs at most 1032 : 1);
/// memory stays below four bytes a pixel plus 1 MiB.
/// Throws: data_error, naming the file, with actual and expected contents: missing, cut off, corrupt, not a PNG file,
/// of another depth, with a palette or an alpha channel, too large.
/// Example: const rp::grey_image image = rp::read_png("embryos/2/E017_F004.png");
[[nodiscard]] inline grey_image read_png(const std::string& path, const png_limits& limits = {}) {
  detail::png_reader reader(path);
  const auto header = reader.read_header();
  require<data_error>(header.depth == 8, path, ": has ", header.depth, " bits a channel; must have 8");
  require<data_error>(header.colour == PNG_COLOR_TYPE_GRAY || header.colour == PNG_COLOR_TYPE_RGB, path,
                      ": has a palette or an alpha channel (colour type ", header.colour,
                      "); must be grey (0) or of three colours (2)");
  require<data_error>(header.height <= limits.height && header.width <= limits.width, path, ": is ", header.height,
                      " x ", header.width, " pixels; must be at most ", limits.height, " x ", limits.width);
  const index_t bytes = checked_mul(checked_mul(header.height, header.width), header.channels);
  require<data_error>(static_cast<std::uint64_t>(bytes) <= 1032 * reader.size_bytes(), path, ": promises ",
                      header.height, " x ", header.width, " pixels, which cannot be packed in ", reader.size_bytes(),
                      " bytes; cut off, or corrupt");
  grey_image image{header.height, header.width, std::vector<std::uint8_t>(static_cast<std::size_t>(bytes))};
  reader.read_rows(header, image.pixels.data());
  if (header.channels == 1) return image;
  const std::uint8_t* from = image.pixels.data();
  const auto pixels = image.pixels.size() / 3;
  for (std::size_t i = 0; i < pixels; ++i, from += 3)
    image.pixels[i] = static_cast<std::uint8_t>((299 * from[0] + 587 * from[1] + 114 * from[2] + 500) / 1000);
  image.pixels.resize(pixels);
  return image;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
