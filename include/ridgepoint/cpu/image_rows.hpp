// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// body(image, row) for every row of every image, in parallel; parts are consecutive rows that together touch about
/// part_elements elements.
template <class Body>
void for_image_rows(const native_cpu& on, index_t images, index_t rows, index_t elements_of_row, Body&& body) {
  const index_t all = images * rows, part_rows = ceil_div(part_elements, std::max<index_t>(elements_of_row, 1)),
                parts = ceil_div(all, part_rows);
  parallel_for(parts > 1 ? on.thread_count() : 1, parts, [&](index_t part) {
    for (index_t i = part * part_rows; i < std::min(all, (part + 1) * part_rows); ++i) body(i / rows, i % rows);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
