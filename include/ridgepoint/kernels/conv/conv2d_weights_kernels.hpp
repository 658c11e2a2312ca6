// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/conv/conv2d_kernels.hpp>
#include <ridgepoint/kernels/conv/conv2d_weights.hpp>
#include <ridgepoint/kernels/kernel.hpp>

/// \file
/// Kernels of the gradient of conv2d() for the filter, one part each. A part adds to the sum of its chunk, and to the
/// bias sum if it is the first part of its rows of results. With one chunk the sums are at dw and db; with several all
/// are at `sums`, bias sums after filter sums.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

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
