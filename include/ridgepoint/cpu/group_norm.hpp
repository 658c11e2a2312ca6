// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/group_norm_kernels.hpp>
#include <ridgepoint/ops/group_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// Images cut into at most 64 parts for threads: of each, statistics, sums and results while it is in cache.
class image_parts {
 public:
  image_parts(index_t images, index_t elements) noexcept
      : images_(images), each_((std::max)(ceil_div(part_elements, elements), ceil_div(images, index_t{64}))) {}

  [[nodiscard]] index_t count() const noexcept { return ceil_div(images_, each_); }
  /// body(first image, end, part) in parallel.
  template <cpu_backend On, class Body>
  void for_each(const On& on, const Body& body) const {
    parallel_for(count() > 1 ? on.thread_count() : 1, count(),
                 [&](index_t part) { body(part * each_, (std::min)(images_, (part + 1) * each_), part); });
  }

 private:
  index_t images_, each_;
};
/// Returns memory of the calling thread for the groups of an image.
template <class T, class OfGroup>
[[nodiscard]] kernels::group_memory<T, OfGroup> memory_of_groups(const kernels::grouped_columns& g) {
  using memory = kernels::group_memory<T, OfGroup>;
  struct of_columns;
  struct of_groups;
  const index_t width = g.rows.width;
  T* const work = thread_scratch_of<of_columns, T>((3 + memory::per_column) * width);
  return {{work, work + width, work + 2 * width}, work + 3 * width, thread_scratch_of<of_groups, OfGroup>(g.groups)};
}
}  // namespace detail

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const group_norm_args<T>& a) {
  const auto g = kernels::grouped_columns::of(a.pixels, a.channels, a.options.groups, on.vectors().template lanes<T>());
  detail::image_parts(a.images, a.pixels * a.channels).for_each(on, [&](index_t first, index_t end, index_t) {
    const auto memory = detail::memory_of_groups<T, kernels::group_statistics>(g);
    on.template call<kernels::group_norm_images<T>>(a, g, first, end, memory);
  });
}
template <std::floating_point T>
type_list<kernels::group_norm_images<T>> kernels_of(const group_norm_args<T>&);

/// dgamma and dbeta are summed up over the images of a part, then over the parts in their order.
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const group_norm_backward_args<T>& a) {
  struct of_parts;
  struct of_image;
  using sums = kernels::weight_sums;
  const index_t channels = a.channels;
  const auto g = kernels::grouped_columns::of(a.pixels, channels, a.groups, on.vectors().template lanes<T>());
  const detail::image_parts parts(a.images, a.pixels * channels);
  const index_t all = std::max<index_t>(1, parts.count()) * channels;
  sums* const of = thread_scratch_of<of_parts, sums>(all);
  std::fill_n(of, all, sums{});
  parts.for_each(on, [&](index_t first, index_t end, index_t part) {
    const auto memory = detail::memory_of_groups<T, sums>(g);
    auto* const of_channels = thread_scratch_of<of_image, kernels::product_sums>(channels);
    on.template call<kernels::group_norm_backward_images<T>>(a, g, first, end, memory, of_channels,
                                                             of + part * channels);
  });
  kernels::add_parts(of, parts.count(), channels);
  for (index_t c = 0; c < channels; ++c) {
    a.dgamma[c] = static_cast<T>(of[c].product);
    a.dbeta[c] = static_cast<T>(of[c].sum);
  }
}
template <std::floating_point T>
type_list<kernels::group_norm_backward_images<T>> kernels_of(const group_norm_backward_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
