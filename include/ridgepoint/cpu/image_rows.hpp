// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/parts.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// body(begin, end) for consecutive parts of `rows` rows that together touch about part_elements elements, in parallel.
template <cpu_backend On, class Body>
void for_row_parts(const On& on, index_t rows, index_t elements_of_row, Body&& body) {
  const index_t part_rows = ceil_div(part_elements, std::max<index_t>(elements_of_row, 1)),
                parts = ceil_div(rows, part_rows);
  parallel_for(parts > 1 ? on.thread_count() : 1, parts,
               [&](index_t part) { body(part * part_rows, (std::min)(rows, (part + 1) * part_rows)); });
}

/// body(image, row) for every row of every image, in parallel, in such parts.
template <cpu_backend On, class Body>
void for_image_rows(const On& on, index_t images, index_t rows, index_t elements_of_row, Body&& body) {
  for_row_parts(on, images * rows, elements_of_row, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) body(i / rows, i % rows);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
