// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/normalisation_kernels.hpp>
#include <ridgepoint/ops/batch_norm.hpp>
#include <ridgepoint/ops/fold_batch_norm.hpp>
#include <ridgepoint/ops/group_norm.hpp>
#include <ridgepoint/ops/layer_norm.hpp>
#include <ridgepoint/ops/rms_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Computes moments in one pass over x (kernels/map/normalisation.hpp), y in a second.
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const batch_norm_args<T>& a) {
  const auto g = kernels::wide_rows::of(a.rows, a.channels, on.vectors().template lanes<T>());
  const auto of = detail::sums_of_channels<T, kernels::moments>(
      on, g, a.channels, [&](const auto& rows, index_t first, const auto& work, auto* columns, auto* channels) {
        on.template call<kernels::batch_norm_sums<T>>(a, rows, first, work, columns, channels);
      });
  using parameters = kernels::batch_norm_parameters<T>;
  T* const memory = detail::memory_of_parameters<T>(g, parameters::per_column);
  on.template call<parameters>(a, g, of.sums, of.parts, memory);
  detail::map_channels<kernels::batch_norm_rows<T>>(on, g, a, memory);
}
template <std::floating_point T>
type_list<kernels::batch_norm_sums<T>, kernels::batch_norm_parameters<T>, kernels::batch_norm_rows<T>> kernels_of(
    const batch_norm_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const batch_norm_backward_args<T>& a) {
  const auto g = kernels::wide_rows::of(a.rows, a.channels, on.vectors().template lanes<T>());
  const auto of = detail::sums_of_channels<T, kernels::product_sums>(
      on, g, a.channels, [&](const auto& rows, index_t first, const auto& work, auto* columns, auto* channels) {
        on.template call<kernels::batch_norm_backward_sums<T>>(a, rows, first, work, columns, channels);
      });
  using parameters = kernels::batch_norm_backward_parameters<T>;
  T* const memory = detail::memory_of_parameters<T>(g, parameters::per_column);
  on.template call<parameters>(a, g, of.sums, of.parts, memory);
  if (a.dx != nullptr) detail::map_channels<kernels::batch_norm_backward_rows<T>>(on, g, a, memory);
}
template <std::floating_point T>
type_list<kernels::batch_norm_backward_sums<T>, kernels::batch_norm_backward_parameters<T>,
          kernels::batch_norm_backward_rows<T>>
kernels_of(const batch_norm_backward_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const batch_norm_inference_args<T>& a) {
  const auto g = kernels::wide_rows::of(a.rows, a.channels, on.vectors().template lanes<T>());
  using parameters = kernels::batch_norm_inference_parameters<T>;
  T* const memory = detail::memory_of_parameters<T>(g, parameters::per_column);
  on.template call<parameters>(a, g, memory);
  detail::map_channels<kernels::batch_norm_inference_rows<T>>(on, g, a, memory);
}
template <std::floating_point T>
type_list<kernels::batch_norm_inference_parameters<T>, kernels::batch_norm_inference_rows<T>> kernels_of(
    const batch_norm_inference_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const fold_batch_norm_args<T>& a) {
  const auto g = kernels::wide_rows::of(a.lines, a.channels, on.vectors().template lanes<T>());
  using parameters = kernels::fold_batch_norm_parameters<T>;
  T* const memory = detail::memory_of_parameters<T>(g, parameters::per_column);
  on.template call<parameters>(a, g, memory);
  detail::map_channels<kernels::fold_batch_norm_rows<T>>(on, g, a, memory);
}
template <std::floating_point T>
type_list<kernels::fold_batch_norm_parameters<T>, kernels::fold_batch_norm_rows<T>> kernels_of(
    const fold_batch_norm_args<T>&);

namespace detail {
/// Images split into at most 64 parts for threads. An image stays in cache for its statistics, sums and results.
class image_parts {
 public:
  image_parts(index_t images, index_t elements) noexcept
      : images_(images), each_((std::max)(ceil_div(part_elements, elements), ceil_div(images, index_t{64}))) {}

  [[nodiscard]] index_t count() const noexcept { return ceil_div(images_, each_); }
  /// Calls body(first image, end, part) in parallel.
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

/// Sums dgamma and dbeta over the images of a part, then over the parts in order.
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

namespace detail {
/// Runs a kernel on parts of full rows, each in cache from its statistics to its result.
template <class Kernel, cpu_backend On, class Args>
void normalise_rows(const On& on, const Args& a) {
  const index_t together = on.vectors().template lanes<double>(),
                part_rows = round_up(ceil_div(part_elements, a.channels), together),
                parts = ceil_div(a.rows, part_rows);
  parallel_for(parts > 1 ? on.thread_count() : 1, parts, [&](index_t part) {
    on.template call<Kernel>(a, part * part_rows, (std::min)(a.rows, (part + 1) * part_rows));
  });
}
/// Computes dx and, as sums of every part, dgamma and, if the op has one, dbeta, in one pass over x and dy.
template <class Kernel, class T, cpu_backend On, class Args>
void differentiate_rows(const On& on, const Args& a) {
  const index_t n = a.channels;
  const auto set = [&](const auto& sums_of) {
    for (index_t j = 0; j < n; ++j) {
      const kernels::weight_sums sums = sums_of(j);
      a.dgamma[j] = static_cast<T>(sums.product);
      if constexpr (requires { a.dbeta; }) a.dbeta[j] = static_cast<T>(sums.sum);
    }
  };
  if (a.rows == 0) return set([](index_t) { return kernels::weight_sums{}; });
  const auto of = sums_of_channels<T, kernels::weight_sums>(
      on, kernels::wide_rows{n, a.rows, 0}, n,
      [&](const kernels::wide_rows& rows, index_t first, const auto& work, auto*, kernels::weight_sums* sums) {
        on.template call<Kernel>(a, first / n, first / n + rows.rows, work, sums);
      });
  kernels::add_parts(of.sums, of.parts, n);
  set([&](index_t j) { return of.sums[j]; });
}
}  // namespace detail

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const layer_norm_args<T>& a) {
  detail::normalise_rows<kernels::layer_norm_chunk<T>>(on, a);
}
template <std::floating_point T>
type_list<kernels::layer_norm_chunk<T>> kernels_of(const layer_norm_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const layer_norm_backward_args<T>& a) {
  detail::differentiate_rows<kernels::layer_norm_backward_chunk<T>, T>(on, a);
}
template <std::floating_point T>
type_list<kernels::layer_norm_backward_chunk<T>> kernels_of(const layer_norm_backward_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const rms_norm_args<T>& a) {
  detail::normalise_rows<kernels::rms_norm_chunk<T>>(on, a);
}
template <std::floating_point T>
type_list<kernels::rms_norm_chunk<T>> kernels_of(const rms_norm_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const rms_norm_backward_args<T>& a) {
  detail::differentiate_rows<kernels::rms_norm_backward_chunk<T>, T>(on, a);
}
template <std::floating_point T>
type_list<kernels::rms_norm_backward_chunk<T>> kernels_of(const rms_norm_backward_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
