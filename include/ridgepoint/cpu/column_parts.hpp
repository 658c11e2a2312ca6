// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/column_sums.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Rows cut into at most 64 parts of at least so many elements, for threads.
class column_parts {
 public:
  column_parts(const kernels::wide_rows& g, index_t elements) noexcept
      : g_(g), part_rows_((std::max)(ceil_div(elements, g.width), ceil_div(g.rows, index_t{64}))) {}

  [[nodiscard]] index_t count() const noexcept { return ceil_div(g_.rows, part_rows_); }
  /// body(rows, first element, part) in parallel.
  template <cpu_backend On, class Body>
  void for_each(const On& on, const Body& body) const {
    parallel_for(count() > 1 ? on.thread_count() : 1, count(), [&](index_t part) {
      const index_t begin = part * part_rows_;
      body(g_.part(begin, (std::min)(g_.rows, begin + part_rows_)), begin * g_.width, part);
    });
  }

 private:
  kernels::wide_rows g_;
  index_t part_rows_;
};

/// The Sums of each channel over the rows of each part, part by part.
template <class Sum>
struct sums_of_parts {
  Sum* sums;
  index_t parts;
};
/// make(rows, first element, work, columns, sums) sets those of a part's columns and, from these, of its channels.
/// The result is valid until the calling thread's next call.
template <class T, class Sum, cpu_backend On, class Make>
[[nodiscard]] sums_of_parts<Sum> sums_of_channels(const On& on, const kernels::wide_rows& g, index_t channels,
                                                  const Make& make) {
  struct of_parts;
  struct of_columns;
  struct in_elements;
  const column_parts parts(g, std::max<index_t>(65536, 128 * g.width));  // much more than there are sums
  Sum* const sums = thread_scratch_of<of_parts, Sum>(parts.count() * channels);
  parts.for_each(on, [&](const kernels::wide_rows& rows, index_t first, index_t part) {
    Sum* const columns = thread_scratch_of<of_columns, Sum>(g.width);
    T* const work = thread_scratch_of<in_elements, T>(3 * g.width);
    make(rows, first, kernels::column_sums<T>{work, work + g.width, work + 2 * g.width}, columns,
         sums + part * channels);
  });
  return {sums, parts.count()};
}

/// Memory of the calling thread for so many parameters of each column, until it asks again.
template <class T>
[[nodiscard]] T* memory_of_parameters(const kernels::wide_rows& g, index_t parameters) {
  struct tag;
  return thread_scratch_of<tag, T>(parameters * g.width);
}

/// Kernel on all rows, in parallel.
template <class Kernel, cpu_backend On, class Args, class T>
void map_channels(const On& on, const kernels::wide_rows& g, const Args& a, const T* parameters) {
  column_parts(g, part_elements).for_each(on, [&](const kernels::wide_rows& rows, index_t first, index_t) {
    on.template call<Kernel>(a, rows, first, parameters);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
