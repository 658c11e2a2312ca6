// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A GEMM whose schedule is chosen.
struct gemm_prepared {
  detail::gemm_schedule schedule;
  preparation told;
};

namespace detail {

/// Lanes without an element included: the vectors of a family run along the rows of C, or along the depth.
template <class T>
[[nodiscard]] work executed_by(const gemm_schedule& s, const gemm_args<T>& g) noexcept {
  using kernels::gemm_family;
  work executed = receipt(g);
  const gemm_args<T> across = s.transposed || s.turned ? transposed(g) : g;
  const index_t m = across.c.rows, n = across.c.cols, k = across.a.cols;
  const auto product = [](index_t rows, index_t cols, index_t depth) {
    return 2 * static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols) * static_cast<std::uint64_t>(depth);
  };
  const gemm_family family = s.plan.family;
  if (family == gemm_family::nothing || family == gemm_family::scale || family == gemm_family::element) return executed;
  const bool depth = family == gemm_family::dot;
  const std::uint64_t matrix =
      product(m, depth ? n : round_up(n, simd::lanes<T>), depth ? round_up(k, simd::lanes<T>) : k);
  executed.flop += matrix - executed.matrix_flop;
  executed.matrix_flop = matrix;
  return executed;
}

}  // namespace detail

/// Chooses the schedule of a GEMM. A B in constant memory that every run would pack is a constant: packed once.
template <std::floating_point T>
[[nodiscard]] gemm_prepared prepare(const native_cpu& on, const gemm_args<T>& g, const prepare_options& options = {}) {
  gemm_prepared made{.schedule = detail::schedule(on, g), .told = {}};
  const bool as_it_is = !made.schedule.dense_c && !made.schedule.transposed && !made.schedule.turned;
  const bool constant = detail::overlap(g.b.data, 1, options.constant, static_cast<index_t>(options.constant_bytes));
  if (constant && as_it_is && made.schedule.plan.family == kernels::gemm_family::packed) {
    made.schedule = detail::schedule_packed(on, g);
    made.told.constant_bytes = static_cast<std::size_t>(detail::packed_elements<T>(g.b.rows, g.b.cols)) * sizeof(T);
  }
  made.told.algorithm = made.told.constant_bytes != 0 ? "packed once" : kernels::name_of(made.schedule.plan.family);
  made.told.workspace_bytes = made.schedule.workspace_bytes();
  made.told.executed = detail::executed_by(made.schedule, g);
  return made;
}

template <std::floating_point T>
void make_constants(const native_cpu& on, const gemm_prepared&, const gemm_args<T>& g, void* to) {
  detail::pack_panels(on, g.b, static_cast<T*>(to));
}

template <std::floating_point T>
void execute(const native_cpu& on, const gemm_prepared& made, const gemm_args<T>& g, const call_memory& memory) {
  detail::run(on, made.schedule, g, static_cast<std::byte*>(memory.workspace),
              made.told.constant_bytes != 0 ? static_cast<const T*>(memory.constants) : nullptr);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
