// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/image_rows.hpp>
#include <ridgepoint/kernels/map/image_rows_kernels.hpp>
#include <ridgepoint/ops/upsample.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const upsample_args<T>& a) {
  const index_t rows = a.options.factor.h * a.h, columns = a.options.factor.w * a.w;
  for_row_parts(on, a.n * rows, columns * a.c, [&](index_t begin, index_t end) {
    struct of_row;
    on.template call<kernels::upsample_rows<T>>(a, begin, end, thread_scratch_of<of_row, T>(a.w * a.c));
  });
}
template <std::floating_point T>
type_list<kernels::upsample_rows<T>> kernels_of(const upsample_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const upsample_backward_args<T>& a) {
  const index_t fh = a.options.factor.h, row_size = a.options.factor.w * a.w * a.c;
  for_row_parts(on, a.n * a.h, fh * row_size, [&](index_t begin, index_t end) {
    struct of_row;
    on.template call<kernels::upsample_backward_rows<T>>(a, begin, end, thread_scratch_of<of_row, T>(row_size));
  });
}
template <std::floating_point T>
type_list<kernels::upsample_backward_rows<T>> kernels_of(const upsample_backward_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
