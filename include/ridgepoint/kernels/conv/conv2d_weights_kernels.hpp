// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/conv/conv2d_kernels.hpp>
#include <ridgepoint/kernels/conv/patches.hpp>
#include <ridgepoint/kernels/kernel.hpp>

/// \file
/// Kernels of the gradient of conv2d() for the filter, one part each. A part adds to the sum of its chunk, and to the
/// bias sum if it is the first part of its rows of results. With one chunk the sums are at dw and db; with several all
/// are at `sums`, bias sums after filter sums.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Filter gradient as a product: dw(elements of a window × columns) ← windowsᵀ · dy, whose rows have a stride of
/// `dy_ld` elements; and db, if given, the sum of the rows.
template <class T>
struct weights_product {
  patches<T> source;
  const T* dy = nullptr;
  index_t columns = 0, dy_ld = 0;
  T* db = nullptr;

  /// Whether windows are rows of the image itself.
  [[nodiscard]] constexpr bool is_plain() const noexcept { return source.are_in_place(); }
  [[nodiscard]] matrix_view<const T> gradients(index_t pixel, index_t pixels, index_t column,
                                               index_t count) const noexcept {
    return {dy + pixel * dy_ld + column, pixels, count, dy_ld};
  }
};

/// Sum of many terms of `size` values each, in chunks of adjacent terms that threads add up separately: as many chunks
/// as requested, up to 16 and 8 MiB. Chunks depend on the shape only, and so do the bits of the result.
struct chunked_sum {
  index_t terms = 0, size = 0;
  index_t chunks = 0, chunk = 0;  // number of chunks, and terms per chunk
  index_t step = 0;               // elements from one chunk's sum to the next
  std::size_t bytes = 0;          // of the chunks' sums

  template <class T>
  [[nodiscard]] static chunked_sum of(index_t terms, index_t size, index_t requested) noexcept {
    chunked_sum s{.terms = terms, .size = size};
    if (terms == 0) return s;
    const index_t room = (8 << 20) / (std::max<index_t>(size, 1) * static_cast<index_t>(sizeof(T)));
    const index_t most = std::clamp<index_t>(room, 1, std::min<index_t>(16, terms));
    s.chunk = ceil_div(terms, std::clamp<index_t>(requested, 1, most));
    s.chunks = ceil_div(terms, s.chunk);
    return s.of_size<T>(size);
  }
  /// Returns the sum of the same chunks with another number of values.
  template <class T>
  [[nodiscard]] chunked_sum of_size(index_t other) const noexcept {
    chunked_sum s = *this;
    s.size = other;
    s.step = round_up(other, static_cast<index_t>(alignment_bytes / sizeof(T)));
    s.bytes = chunks > 1 ? static_cast<std::size_t>(chunks * s.step) * sizeof(T) : 0;
    return s;
  }
  [[nodiscard]] index_t begin(index_t number) const noexcept { return number * chunk; }
  [[nodiscard]] index_t end(index_t number) const noexcept { return (std::min)(terms, (number + 1) * chunk); }
  /// Returns the address of a chunk's sum: the result itself if there is one chunk.
  template <class T>
  [[nodiscard]] T* sum(index_t number, T* result, std::byte* sums) const noexcept {
    return chunks == 1 ? result : reinterpret_cast<T*>(sums) + number * step;
  }
};

/// Rows of results of all images, in sequence; their windows are read in place, or from copies if they reach beyond the
/// image. The image must outlive this object.
template <class T>
struct window_rows {
  window_segments<T> windows;
  index_t image_rows = 0, all = 0, pixels = 0;  // rows of an image and of all images; results of a row

  explicit window_rows(const patches<T>& p) noexcept
      : windows(p),
        image_rows(p.rows.results),
        all(p.columns.results == 0 ? 0 : p.images * p.rows.results),
        pixels(p.columns.results) {}

  /// Elements of the copy for `count` adjacent rows.
  [[nodiscard]] index_t copied(index_t count) const noexcept {
    return windows.copies() ? windows.band_elements(count, (count + image_rows - 2) / image_rows + 1) : 0;
  }
  /// Number of rows that give 256 results at a time and fit half of L2, with `more` additional elements per row.
  [[nodiscard]] index_t at_once(index_t most, index_t more, index_t l2) const noexcept {
    index_t rows = (std::min)(most, ceil_div(index_t{256}, pixels));
    while (rows > 1 && (windows.band_elements(rows) + rows * more) * static_cast<index_t>(sizeof(T)) > l2 / 2)
      rows = ceil_div(rows, 2);
    return rows;
  }
};

/// Blocking of dw ← windowsᵀ · dy with packed operands. Rows of results are divided into chunks; some rows of a chunk
/// are processed at a time, with sources and dy panels that fit L2. A chunk has parts by window elements and columns.
struct packed_weights_cut {
  chunked_sum chunks = {}, biases = {};         // of rows of results over all images; of dy
  index_t element_parts = 1, column_parts = 1;  // per chunk
  index_t elements = 0, columns = 0, rows = 0;  // of a part; at a time
  index_t band = 0, panels = 0, tile = 0;       // elements of the memory

  [[nodiscard]] index_t parts() const noexcept { return chunks.chunks * element_parts * column_parts; }
};
/// Memory of one thread: copied rows of sources, dy in panels, packed windows, and the first window of each row.
template <class T>
struct packed_weights_memory {
  T *copy, *packed_b, *packed_a;
  const T** line;
};
template <class T>
struct conv2d_packed_weights {
  static constexpr auto id = kernel_id<T>("conv2d_packed_weights");
  static void run(const weights_product<T>& p, const packed_weights_cut& s, T* dw, std::byte* sums, index_t part,
                  const packed_weights_memory<T>& memory) noexcept;
};

/// Direction of the vectors of a filter gradient: the filters, or the elements of a row of taps.
enum class vectors_along { filters, taps };

/// Blocking of a filter gradient whose operands are read in place: some rows of a chunk at a time, and rows of taps in
/// parts.
struct weights_in_place_cut {
  vectors_along along = vectors_along::filters;
  chunked_sum chunks = {}, biases = {};  // of rows of results; of dy
  index_t parts_of_taps = 1, rows = 0;   // per chunk; rows at a time
  index_t band = 0;                      // elements of copied rows

  [[nodiscard]] index_t parts() const noexcept { return chunks.chunks * parts_of_taps; }
};
/// Memory of one thread: dwᵀ if vectors run along the taps, copied rows of sources, the first window of each row, and
/// offsets of the windows' segments.
template <class T>
struct weights_in_place_memory {
  T *transposed, *copy;
  const T** line;
  index_t* offsets;
};
template <class T>
struct conv2d_weights_in_place {
  static constexpr auto id = kernel_id<T>("conv2d_weights_in_place");
  static void run(const weights_product<T>& p, const weights_in_place_cut& s, T* dw, std::byte* sums, index_t part,
                  const weights_in_place_memory<T>& memory) noexcept;
};

/// Blocking of a filter gradient by Winograd's algorithm: chunks of tiles, `part` of them at a time in L2.
struct winograd_weights_cut {
  index_t results = 0, taps = 0;
  chunked_sum chunks = {};  // of tiles
  index_t part = 0;         // tiles
  index_t v_ld = 0, v_plane = 0, d_plane = 0, m_plane = 0;
};
template <class T>
struct conv2d_winograd_weights {
  static constexpr auto id = kernel_id<T>("conv2d_winograd_weights");
  static void run(const weights_product<T>& p, const winograd_weights_cut& s, T* dw, std::byte* sums, index_t chunk,
                  const winograd_memory<T>& memory) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/conv/conv2d_weights.hpp>
#endif
