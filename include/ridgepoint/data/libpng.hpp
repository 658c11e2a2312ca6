// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <csetjmp>
#include <new>
#include <string_view>

#include <png.h>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// What libpng calls when it fails. It reports by a jump, which destroys nothing: see png_succeeds().
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

/// libpng's memory is what all memory here is, for those who count it.
inline png_voidp png_allocate(png_structp, png_alloc_size_t bytes) { return ::operator new(bytes, std::nothrow); }
inline void png_release(png_structp, png_voidp memory) { ::operator delete(memory); }

/// Calls body(), which must own nothing, as libpng jumps out of it. Whether it came to its end.
template <class Body>
[[nodiscard, gnu::noinline]] bool png_succeeds(png_structp png, const Body& body) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  body();
  return true;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
