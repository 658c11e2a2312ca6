// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/conv/conv2d_kernels.hpp>
#include <ridgepoint/kernels/conv/weights_product.hpp>
#include <ridgepoint/kernels/kernel.hpp>

/// \file
/// Kernels of the gradient of conv2d() for the filter: one part each. A part adds to the sum of its chunk, and of the
/// bias if it is the first of its rows of results; the first chunk's sums are at dw and db if there is one chunk, else
/// all are at `sums`, those of the bias after those of the filter.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// How dw ← windowsᵀ · dy is cut whose operands are packed. Rows of results are taken in chunks; of a chunk some rows
/// at once, whose sources and dy in panels L2 holds. Elements of windows and columns are parts of a chunk.
struct packed_weights_cut {
  chunked_sum chunks = {}, biases = {};         // of rows of results over all images; of dy
  index_t element_parts = 1, column_parts = 1;  // of a chunk
  index_t elements = 0, columns = 0, rows = 0;  // of a part; at once
  index_t band = 0, panels = 0, tile = 0;       // elements of the memory

  [[nodiscard]] index_t parts() const noexcept { return chunks.chunks * element_parts * column_parts; }
};
/// Memory of a thread: copied rows of sources, dy in panels, packed windows, and the first window of each row.
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

/// The direction of the vectors of a gradient for a filter: the filters, or the elements of a row of taps.
enum class vectors_along { filters, taps };

/// How a gradient for a filter is cut whose operands are read where they are: some rows of a chunk at once, and rows of
/// taps in parts.
struct weights_in_place_cut {
  vectors_along along = vectors_along::filters;
  chunked_sum chunks = {}, biases = {};  // of rows of results; of dy
  index_t parts_of_taps = 1, rows = 0;   // of a chunk; rows at once
  index_t band = 0;                      // elements of copied rows

  [[nodiscard]] index_t parts() const noexcept { return chunks.chunks * parts_of_taps; }
};
/// Memory of a thread: dwᵀ where vectors run along the taps, copied rows of sources, the first window of each row, and
/// offsets of these.
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

/// How a gradient for a filter is cut by Winograd's algorithm: chunks of tiles, of which `part` at once are in L2.
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
