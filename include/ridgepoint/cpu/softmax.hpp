// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/softmax_kernels.hpp>
#include <ridgepoint/ops/softmax.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// Memory of the calling thread for so many elements as floats; null if T is computed in itself.
template <class T>
[[nodiscard]] float* floats_of(index_t elements) {
  struct tag;
  return std::same_as<T, bfloat16> ? thread_scratch_of<tag, float>(elements) : nullptr;
}
}  // namespace detail

template <cpu_backend On, cpu_element T>
void execute(const On& on, const softmax_args<T>& s) {
  const index_t part_rows = ceil_div(part_elements, std::max<index_t>(s.x.cols, 1)),
                parts = ceil_div(s.x.rows, part_rows);
  parallel_for(parts > 1 ? on.thread_count() : 1, parts, [&](index_t part) {
    const index_t begin = part * part_rows, end = (std::min)(s.x.rows, begin + part_rows);
    on.template call<kernels::softmax_chunk<T>>(s, begin, end, detail::floats_of<T>((end - begin) * s.x.cols));
  });
}
template <cpu_element T>
type_list<kernels::softmax_chunk<T>> kernels_of(const softmax_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
