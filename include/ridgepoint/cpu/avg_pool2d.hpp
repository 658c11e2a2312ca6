// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/pool_rows.hpp>
#include <ridgepoint/kernels/pool/pool_kernels.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const avg_pool2d_args<T>& a) {
  detail::for_output_rows(on, a.geometry, [&](index_t begin, index_t end) {
    on.template call<kernels::avg_pool2d_rows<T>>(a, begin, end);
  });
}
template <std::floating_point T>
type_list<kernels::avg_pool2d_rows<T>> kernels_of(const avg_pool2d_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const avg_pool2d_backward_args<T>& a) {
  const pool2d_geometry& g = a.geometry;
  const window_axis rows = g.rows(), columns = g.columns();
  const index_t oh = g.oh(), ow = g.ow(), lanes = on.vectors().template lanes<T>();
  struct shares_scratch;
  T* const shares = thread_scratch_of<shares_scratch, T>(oh * ow);
  const auto counted = [over = a.over](const window_axis& axis, index_t output) {
    return over == mean_over::image ? axis.taps_inside(output) : axis.taps_padded(output);
  };
  for (index_t i = 0; i < oh * ow; ++i)
    shares[i] = static_cast<T>(1.0 / static_cast<double>(counted(rows, i / ow) * counted(columns, i % ow)));
  const bool alike = std::all_of(shares, shares + oh * ow, [&](T share) { return exactly(share, shares[0]); });
  if (alike && detail::tile_the_image(g, lanes)) {
    const kernels::stores how = detail::stores_of_window_tiles<T>(g, lanes);
    return detail::for_output_rows(on, g, [&](index_t begin, index_t end) {
      on.template call<kernels::avg_pool2d_backward_tiles<T>>(a, shares[0], how, begin, end);
    });
  }
  const kernels::mean_shares<T> by{shares, alike};
  detail::for_input_rows(on, g, [&](index_t begin, index_t end) {
    on.template call<kernels::avg_pool2d_backward_rows<T>>(a, by, begin, end);
  });
}
template <std::floating_point T>
type_list<kernels::avg_pool2d_backward_rows<T>, kernels::avg_pool2d_backward_tiles<T>> kernels_of(
    const avg_pool2d_backward_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
