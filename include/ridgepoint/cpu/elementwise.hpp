// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/cpu/past_caches.hpp>
#include <ridgepoint/kernels/map/convert_kernels.hpp>
#include <ridgepoint/kernels/map/elementwise_kernels.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/kernels/map/normalisation_kernels.hpp>
#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/ops/add_bias.hpp>
#include <ridgepoint/ops/concat_channels.hpp>
#include <ridgepoint/ops/convert.hpp>
#include <ridgepoint/ops/dropout.hpp>
#include <ridgepoint/ops/pad_channels.hpp>
#include <ridgepoint/ops/positions.hpp>
#include <ridgepoint/ops/upsample.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Computes out(i) ← formula(in(i)…) for all elements, in parallel; out may be one of the inputs.
template <std::floating_point T, std::size_t Ins, class Formula>
void map_parts(const native_cpu& on, const std::array<const T*, Ins>& in, T* out, index_t size,
               const Formula& formula) noexcept {
  const kernels::stores how = detail::stores_of_map(in, out, size);
  for_parts(on, size, [&](index_t begin, index_t end) {
    std::array<const T*, Ins> from = in;
    for (const T*& p : from) p += begin;
    kernels::map_to(from, out + begin, end - begin, how, formula);
  });
}

template <cpu_backend On, cpu_element T>
void execute(const On& on, const activate_args<T>& a) {
  const kernels::stores how = detail::stores_of_map<T, 1>({a.x}, a.y, a.size);
  for_parts(on, a.size,
            [&](index_t begin, index_t end) { on.template call<kernels::activate_chunk<T>>(a, how, begin, end); });
}
template <cpu_element T>
type_list<kernels::activate_chunk<T>> kernels_of(const activate_args<T>&);

template <cpu_backend On, cpu_element T>
void execute(const On& on, const activate_backward_args<T>& a) {
  const T* y = a.f == activation::none ? a.dy : a.y;  // the identity does not read y
  const kernels::stores how = detail::stores_of_map<T, 2>({y, a.dy}, a.dx, a.size);
  for_parts(on, a.size, [&](index_t begin, index_t end) {
    on.template call<kernels::activate_backward_chunk<T>>(a, how, begin, end);
  });
}
template <cpu_element T>
type_list<kernels::activate_backward_chunk<T>> kernels_of(const activate_backward_args<T>&);

template <cpu_backend On, cpu_element T>
void execute(const On& on, const add_args<T>& s) {
  const kernels::stores how = detail::stores_of_map<T, 2>({s.a, s.b}, s.y, s.size);
  for_parts(on, s.size,
            [&](index_t begin, index_t end) { on.template call<kernels::add_chunk<T>>(s, how, begin, end); });
}
template <cpu_element T>
type_list<kernels::add_chunk<T>> kernels_of(const add_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const add_bias_args<T>& a) {
  const auto g = kernels::wide_rows::of(a.rows, a.channels, on.vectors().template lanes<T>());
  T* const bias = detail::memory_of_parameters<T>(g, 1);
  for (index_t j = 0; j < g.width; j += a.channels) std::copy_n(a.bias, a.channels, bias + j);
  detail::map_channels<kernels::add_bias_rows<T>>(on, g, a, bias);
}
template <std::floating_point T>
type_list<kernels::add_bias_rows<T>> kernels_of(const add_bias_args<T>&);

template <cpu_backend On, class To, class From>
  requires((std::same_as<To, bfloat16> && std::same_as<From, float>) ||
           (std::same_as<To, float> && std::same_as<From, bfloat16>))
void execute(const On& on, const convert_args<To, From>& a) {
  for_parts(on, a.size,
            [&](index_t begin, index_t end) { on.template call<kernels::convert_chunk<To, From>>(a, begin, end); });
}
template <class To, class From>
type_list<kernels::convert_chunk<To, From>> kernels_of(const convert_args<To, From>&);

static_assert(part_elements % dropout_mask::block == 0);

template <cpu_backend On, cpu_element T>
void execute(const On& on, const dropout_args<T>& d) {
  for_parts(on, d.size / d.steps,
            [&](index_t begin, index_t end) { on.template call<kernels::dropout_chunk<T>>(d, begin, end); });
}
template <cpu_element T>
type_list<kernels::dropout_chunk<T>> kernels_of(const dropout_args<T>&);

/// Threads process steps: the sinusoids of a step are computed once for all samples.
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const positions_args<T>& a) {
  const bool worth_a_team = a.n * a.steps * a.width > part_elements;
  parallel_for(worth_a_team ? on.thread_count() : 1, a.n > 0 ? a.steps : 0, [&](index_t step) {
    struct tag;
    on.template call<kernels::positions_step<T>>(a, step, thread_scratch_of<tag, T>(a.width));
  });
}
template <std::floating_point T>
type_list<kernels::positions_step<T>> kernels_of(const positions_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const positions_backward_args<T>& a) {
  const kernels::stores how = detail::stores_of_map<T, 1>({a.dy}, a.dx, a.size);
  for_parts(on, a.size, [&](index_t begin, index_t end) {
    on.template call<kernels::positions_backward_chunk<T>>(a, how, begin, end);
  });
}
template <std::floating_point T>
type_list<kernels::positions_backward_chunk<T>> kernels_of(const positions_backward_args<T>&);

/// Calls body(begin, end) for parts of consecutive rows that touch about part_elements elements, in parallel.
template <cpu_backend On, class Body>
void for_row_parts(const On& on, index_t rows, index_t elements_of_row, Body&& body) {
  const index_t part_rows = ceil_div(part_elements, std::max<index_t>(elements_of_row, 1)),
                parts = ceil_div(rows, part_rows);
  parallel_for(parts > 1 ? on.thread_count() : 1, parts,
               [&](index_t part) { body(part * part_rows, (std::min)(rows, (part + 1) * part_rows)); });
}

/// Calls body(image, row) for every row of every image, in parallel, in such parts.
template <cpu_backend On, class Body>
void for_image_rows(const On& on, index_t images, index_t rows, index_t elements_of_row, Body&& body) {
  for_row_parts(on, images * rows, elements_of_row, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) body(i / rows, i % rows);
  });
}

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const concat_channels_args<T>& c) {
  for_row_parts(on, c.y.rows, c.y.cols,
                [&](index_t begin, index_t end) { on.template call<kernels::concat_channels_rows<T>>(c, begin, end); });
}
template <std::floating_point T>
type_list<kernels::concat_channels_rows<T>> kernels_of(const concat_channels_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const pad_channels_args<T>& a) {
  for_row_parts(on, a.y.rows, a.y.cols,
                [&](index_t begin, index_t end) { on.template call<kernels::pad_channels_rows<T>>(a, begin, end); });
}
template <std::floating_point T>
type_list<kernels::pad_channels_rows<T>> kernels_of(const pad_channels_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const pad_channels_backward_args<T>& a) {
  for_row_parts(on, a.dx.rows, a.dx.cols, [&](index_t begin, index_t end) {
    on.template call<kernels::pad_channels_backward_rows<T>>(a, begin, end);
  });
}
template <std::floating_point T>
type_list<kernels::pad_channels_backward_rows<T>> kernels_of(const pad_channels_backward_args<T>&);

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
