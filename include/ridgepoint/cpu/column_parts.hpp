// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/moments.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Rows cut into at most 64 parts of at least so many elements, for threads.
class column_parts {
 public:
  column_parts(const kernels::wide_rows& g, index_t elements) noexcept
      : g_(g), part_rows_(std::max(ceil_div(elements, g.width), ceil_div(g.rows, index_t{64}))) {}

  [[nodiscard]] index_t count() const noexcept { return ceil_div(g_.rows, part_rows_); }
  /// body(rows, first element, part) in parallel.
  template <class Body>
  void for_each(const native_cpu& on, const Body& body) const {
    parallel_for(count() > 1 ? on.thread_count() : 1, count(), [&](index_t part) {
      const index_t begin = part * part_rows_;
      body(g_.part(begin, std::min(g_.rows, begin + part_rows_)), begin * g_.width, part);
    });
  }

 private:
  kernels::wide_rows g_;
  index_t part_rows_;
};

/// The Sum, which has add(), of each channel: over the columns of a part, then over the parts in their order.
/// make(rows, first element, work, sums) gives those of a part's columns. What is returned belongs to the calling
/// thread until its next call.
template <class T, class Sum, class Make>
[[nodiscard]] const Sum* sums_of_channels(const native_cpu& on, const kernels::wide_rows& g, index_t channels,
                                          const Make& make) {
  struct of_parts;
  struct of_columns;
  struct in_elements;
  const column_parts parts(g, std::max<index_t>(65536, 128 * g.width));  // much more than there are sums
  Sum* const sums = thread_scratch_of<of_parts, Sum>(parts.count() * channels);
  parts.for_each(on, [&](const kernels::wide_rows& rows, index_t first, index_t part) {
    Sum* const columns = thread_scratch_of<of_columns, Sum>(g.width);
    T* const work = thread_scratch_of<in_elements, T>(3 * g.width);
    make(rows, first, kernels::column_sums<T>{work, work + g.width, work + 2 * g.width}, columns);
    Sum* const mine = sums + part * channels;
    std::copy_n(columns, channels, mine);
    for (index_t j = channels; j < g.width; ++j) mine[j % channels].add(columns[j]);
  });
  for (index_t i = channels; i < parts.count() * channels; ++i) sums[i % channels].add(sums[i]);
  return sums;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
