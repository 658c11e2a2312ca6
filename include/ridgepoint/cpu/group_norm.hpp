// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/column_parameters.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/group_norm.hpp>
#include <ridgepoint/ops/group_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// Images cut into at most 64 parts for threads: of each, statistics, sums and results while it is in cache.
class image_parts {
 public:
  image_parts(index_t images, index_t elements) noexcept
      : images_(images), each_(std::max(ceil_div(part_elements, elements), ceil_div(images, index_t{64}))) {}

  [[nodiscard]] index_t count() const noexcept { return ceil_div(images_, each_); }
  /// body(first image, end, part) in parallel.
  template <class Body>
  void for_each(const native_cpu& on, const Body& body) const {
    parallel_for(count() > 1 ? on.thread_count() : 1, count(),
                 [&](index_t part) { body(part * each_, std::min(images_, (part + 1) * each_), part); });
  }

 private:
  index_t images_, each_;
};
/// Working memory of the calling thread for the sums of an image's columns.
template <class T>
[[nodiscard]] kernels::column_sums<T> column_sums_of(const kernels::grouped_columns& g) {
  struct in_elements;
  const index_t width = g.rows.width;
  T* const work = thread_scratch_of<in_elements, T>(3 * width);
  return {work, work + width, work + 2 * width};
}
}  // namespace detail

/// y ← (x − centre)·scale + (beta − beyond·scale), where centre + beyond is the mean.
template <std::floating_point T>
void execute(const native_cpu& on, const group_norm_args<T>& a) {
  using batch = simd::batch<T>;
  struct of_groups;
  const index_t groups = a.options.groups, image = a.pixels * a.channels, each = a.channels / groups;
  const auto g = kernels::grouped_columns::of<T>(a.pixels, a.channels, groups);
  detail::image_parts(a.images, image).for_each(on, [&](index_t first, index_t end, index_t) {
    const auto work = detail::column_sums_of<T>(g);
    auto* const of = thread_scratch_of<of_groups, kernels::group_statistics>(groups);
    for (index_t i = first; i < end; ++i) {
      const T* const x = a.x + i * image;
      kernels::find_group_statistics(x, g, work, of);
      for (index_t k = 0; k < groups; ++k) {
        const double inverse = 1 / std::sqrt(of[k].variance + a.options.epsilon);
        of[k].variance = inverse;
        if (a.mean == nullptr) continue;
        a.mean[i * groups + k] = static_cast<T>(of[k].centre + of[k].beyond);
        a.inverse[i * groups + k] = static_cast<T>(inverse);
      }
      const detail::column_parameters<T, 3> parameters(g.rows, a.channels, [&](index_t c) {
        const kernels::group_statistics& s = of[c / each];
        const double scale = static_cast<double>(a.gamma[c]) * s.variance;
        return std::array{s.centre, scale, static_cast<double>(a.beta[c]) - s.beyond * scale};
      });
      kernels::map_columns<T>(std::array{x}, parameters.all, a.y + i * image, g.rows,
                              [](const auto& p, const auto& v)
                                  RIDGEPOINT_INLINE_LAMBDA -> batch { return simd::fma(v[0] - p[0], p[1], p[2]); });
    }
  });
}

/// dgamma and dbeta are summed up over the images of a part, then over the parts in their order.
template <std::floating_point T>
void execute(const native_cpu& on, const group_norm_backward_args<T>& a) {
  using batch = simd::batch<T>;
  struct of_parts;
  struct of_image;
  struct of_groups;
  const index_t groups = a.groups, channels = a.channels, image = a.pixels * channels, each = channels / groups;
  const auto g = kernels::grouped_columns::of<T>(a.pixels, channels, groups);
  const detail::image_parts parts(a.images, image);
  const double share = 1 / g.count();
  using sums = kernels::weight_sums;
  sums* const of_all = thread_scratch_of<of_parts, sums>(std::max<index_t>(1, parts.count()) * channels);
  std::fill_n(of_all, std::max<index_t>(1, parts.count()) * channels, sums{});
  parts.for_each(on, [&](index_t first, index_t end, index_t part) {
    const auto work = detail::column_sums_of<T>(g);
    auto* const of = thread_scratch_of<of_image, kernels::product_sums>(channels);
    auto* const slopes = thread_scratch_of<of_groups, sums>(groups);
    for (index_t i = first; i < end; ++i) {
      const T *const x = a.x + i * image, *const dy = a.dy + i * image, *const mean = a.mean + i * groups,
                     *const inverse = a.inverse + i * groups;
      g.for_each([&](index_t j, index_t, index_t k) { work.centre[j] = mean[k]; });
      std::fill_n(of, channels, kernels::product_sums{});
      g.template for_summed_rows<T>([&](index_t begin, const kernels::wide_rows& rows) {
        std::fill_n(work.sums, rows.width, T(0));
        std::fill_n(work.products, rows.width, T(0));
        kernels::centred_sums<true>(x + begin, dy + begin, work.centre, rows, work.sums, work.products);
        g.for_each([&](index_t j, index_t c, index_t) {
          of[c].add({{static_cast<double>(work.sums[j])}, {static_cast<double>(work.products[j])}});
        });
      });
      std::fill_n(slopes, groups, sums{});
      for (index_t c = 0; c < channels; ++c) {
        const index_t k = c / each;
        const double sum = of[c].sum.value(), product = of[c].product.value();
        of_all[part * channels + c].add({sum, product * static_cast<double>(inverse[k])});
        if (a.dx == nullptr) continue;
        const auto gamma = static_cast<double>(a.gamma[c]);
        slopes[k].add({gamma * sum, gamma * product});
      }
      if (a.dx == nullptr) continue;
      const detail::column_parameters<T, 4> parameters(g.rows, channels, [&](index_t c) {
        const index_t k = c / each;
        const auto by = static_cast<double>(inverse[k]);
        const double over = by * share;
        return std::array{static_cast<double>(mean[k]), static_cast<double>(a.gamma[c]) * by, -slopes[k].sum * over,
                          slopes[k].product * over * by * by};
      });
      kernels::map_columns<T>(std::array{x, dy}, parameters.all, a.dx + i * image, g.rows,
                              [](const auto& p, const auto& v) RIDGEPOINT_INLINE_LAMBDA -> batch {
                                return simd::fma(p[0] - v[0], p[3], simd::fma(v[1], p[1], p[2]));
                              });
    }
  });
  for (index_t c = 0; c < channels; ++c) {
    for (index_t part = 1; part < parts.count(); ++part) of_all[c].add(of_all[part * channels + c]);
    a.dgamma[c] = static_cast<T>(of_all[c].product);
    a.dbeta[c] = static_cast<T>(of_all[c].sum);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
