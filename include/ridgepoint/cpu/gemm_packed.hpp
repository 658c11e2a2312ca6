// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/ops/gemm_packed.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const pack_b_args<T>& g) {
  if (g.elements != nullptr) *g.elements = detail::packed_elements<T>(on.vectors(), g.b.rows, g.b.cols);
  if (g.packed != nullptr) detail::pack_panels(on, g.b, g.packed);
}

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const gemm_packed_args<T>& g) {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const gemm_args<T> whole{.a = g.a, .b = {g.packed, k, n}, .c = g.c, .options = g.options};  // b for its extents only
  if (m == 0 || n == 0) return;
  if (k == 0) return execute(on, whole);
  struct tag;
  const detail::gemm_schedule s = detail::schedule_packed(on, whole);
  detail::run(on, s, whole, static_cast<std::byte*>(thread_scratch<tag>(s.workspace_bytes())), g.packed);
}

template <std::floating_point T>
type_list<kernels::gemm_pack_panel<T>> kernels_of(const pack_b_args<T>&);
template <std::floating_point T>
detail::gemm_kernels<T> kernels_of(const gemm_packed_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
