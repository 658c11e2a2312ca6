// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/cpu/cpu_backend.hpp>
#include <ridgepoint/kernels/map/column_sum_kernels.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Elements of one part of an element-wise op: 64 KiB of float, so that a part outweighs its share of starting a team
/// and threads write to separate pages.
inline constexpr index_t part_elements = 16384;

/// Calls body(begin, end) for consecutive parts of [0, size), in parallel. The parts depend only on size.
template <cpu_backend On, class Body>
void for_parts(const On& on, index_t size, Body&& body) noexcept {
  parallel_for(size > part_elements ? on.thread_count() : 1, ceil_div(size, part_elements),
               [&](index_t part) { body(part * part_elements, (std::min)(size, (part + 1) * part_elements)); });
}

/// Returns Σ over parts of body(begin, end), an array of N sums, in the order of the parts for any threads.
/// Parts are multiples of `quantum`, the smallest worthwhile size; at most 256 parts.
template <std::size_t N, cpu_backend On, class Body>
std::array<double, N> sum_parts(const On& on, index_t size, index_t quantum, Body&& body) noexcept {
  constexpr index_t max_parts = 256;
  const index_t part_size = round_up(std::max<index_t>(ceil_div(size, max_parts), 1), quantum),
                parts = ceil_div(size, part_size);
  std::array<std::array<double, N>, max_parts> partial;
  parallel_for(parts > 1 ? on.thread_count() : 1, parts, [&](index_t part) {
    partial[static_cast<std::size_t>(part)] = body(part * part_size, (std::min)(size, (part + 1) * part_size));
  });
  std::array<double, N> total{};
  for (index_t part = 0; part < parts; ++part)
    for (std::size_t s = 0; s < N; ++s) total[s] += partial[static_cast<std::size_t>(part)][s];
  return total;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Rows split into at most 64 parts of at least `elements` elements, for threads.
class column_parts {
 public:
  column_parts(const kernels::wide_rows& g, index_t elements) noexcept
      : g_(g), part_rows_((std::max)(ceil_div(elements, g.width), ceil_div(g.rows, index_t{64}))) {}

  [[nodiscard]] index_t count() const noexcept { return ceil_div(g_.rows, part_rows_); }
  /// Calls body(rows, first element, part) in parallel.
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

/// The sums of each channel over the rows of each part, part by part.
template <class Sum>
struct sums_of_parts {
  Sum* sums;
  index_t parts;
};
/// Computes sums: make(rows, first element, work, columns, sums) sets the sums of a part's columns and, from these, of
/// its channels. The result is valid until the calling thread's next call.
template <class T, class Sum, cpu_backend On, class Make>
[[nodiscard]] sums_of_parts<Sum> sums_of_channels(const On& on, const kernels::wide_rows& g, index_t channels,
                                                  const Make& make) {
  struct of_parts;
  struct of_columns;
  struct in_elements;
  const column_parts parts(g, std::max<index_t>(65536, 128 * g.width));  // many more elements than sums
  Sum* const sums = thread_scratch_of<of_parts, Sum>(parts.count() * channels);
  parts.for_each(on, [&](const kernels::wide_rows& rows, index_t first, index_t part) {
    Sum* const columns = thread_scratch_of<of_columns, Sum>(g.width);
    T* const work = thread_scratch_of<in_elements, T>(3 * g.width);
    make(rows, first, kernels::column_sums<T>{work, work + g.width, work + 2 * g.width}, columns,
         sums + part * channels);
  });
  return {sums, parts.count()};
}

/// Returns memory of the calling thread for `parameters` values per column, valid until its next call.
template <class T>
[[nodiscard]] T* memory_of_parameters(const kernels::wide_rows& g, index_t parameters) {
  struct tag;
  return thread_scratch_of<tag, T>(parameters * g.width);
}

/// Runs the kernel on all rows, in parallel.
template <class Kernel, cpu_backend On, class Args, class T>
void map_channels(const On& on, const kernels::wide_rows& g, const Args& a, const T* parameters) {
  column_parts(g, part_elements).for_each(on, [&](const kernels::wide_rows& rows, index_t first, index_t) {
    on.template call<Kernel>(a, rows, first, parameters);
  });
}

/// Prepares a call and runs it once, in memory of the thread.
template <cpu_backend On, class Args>
void run_once(const On& on, const Args& a) {
  struct tag;
  const auto made = prepare(on, a, prepare_options{});
  execute(on, made, a, {.workspace = thread_scratch<tag>(made.info.workspace_bytes), .constants = nullptr});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
