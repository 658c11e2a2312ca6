// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A GEMM with its schedule.
template <class T>
struct gemm_prepared {
  detail::gemm_schedule schedule;
  kernels::small_product<T> runs;  // if it has runs, they are the entire computation
  preparation info;
};

namespace detail {

/// Counts lanes without an element, too: the vectors of a family run along the rows of C, or along the depth.
template <class T>
[[nodiscard]] work executed_work(kernels::vector_unit v, const gemm_schedule& s, const gemm_args<T>& g) noexcept {
  using kernels::gemm_family;
  const work definition = receipt(g);
  const gemm_args<T> across = s.transposed || s.turned ? transposed(g) : g;
  const index_t m = across.c.rows, n = across.c.cols, k = across.a.cols;
  const auto product = [](index_t rows, index_t cols, index_t depth) {
    return 2 * static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols) * static_cast<std::uint64_t>(depth);
  };
  const gemm_family family = s.plan.family;
  const index_t lanes = v.lanes<T>();
  if (family == gemm_family::nothing || family == gemm_family::scale || family == gemm_family::element)
    return definition;
  if (family == gemm_family::narrow) {
    const index_t fold = kernels::depth_fold<T>(v, n, k);
    return executed_with(product(m, lanes / fold, round_up(k, fold)), definition);
  }
  if (family == gemm_family::columns) return executed_with(product(round_up(m, lanes), n, k), definition);
  if (s.separate > 0) {
    const std::uint64_t others = product(m, round_up(n - s.separate, lanes), k);
    return executed_with(others + product(round_up(m, lanes), s.separate, k), definition);
  }
  if (family != gemm_family::dot) return executed_with(product(m, round_up(n, lanes), k), definition);
  const index_t fold = n == 1 ? kernels::column_fold<T>(v, k) : lanes;
  if (fold == lanes) return executed_with(product(m, n, round_up(k, lanes)), definition);
  // A column of short rows is computed in blocks of `lanes` rows, by every thread.
  const index_t rows = m / s.height * round_up(s.height, lanes) + round_up(m % s.height, lanes);
  return executed_with(product(rows, 1, k == 1 && across.a.row_stride == 1 ? 1 : fold), definition);
}

/// Returns the plan, but a plan on tiles with the same bits for families that are fast to choose and slow to run.
template <class T>
[[nodiscard]] kernels::gemm_plan on_tiles(kernels::vector_unit v, const kernels::gemm_plan& plan,
                                          const gemm_args<T>& g) noexcept {
  const bool by_elements = plan.family == kernels::gemm_family::element || plan.family == kernels::gemm_family::outer;
  return by_elements ? kernels::plan_in_turn<T>(v, g.c.rows, g.c.cols, g.a.cols) : plan;
}

/// Returns g as a small product with the bits of its plan; without runs if another family is chosen.
template <cpu_backend On, class T>
[[nodiscard]] kernels::small_product<T> small_product_of(const On& on, const kernels::gemm_plan& as_planned,
                                                         const gemm_args<T>& g) noexcept {
  const bool plain = g.options.bias == nullptr && g.options.act == activation::none;
  const bool adjacent = (g.b.col_stride == 1 || g.b.cols == 1) && (g.c.col_stride == 1 || g.c.cols == 1);
  if (!plain || !adjacent) return {};
  const bool tiles =
      as_planned.family == kernels::gemm_family::in_place || as_planned.family == kernels::gemm_family::packed;
  if (!tiles || g.a.cols > as_planned.kc) return {};
  return on.template call<kernels::gemm_prepare_small<T>>(as_planned, g);
}

}  // namespace detail

/// Chooses the schedule of a GEMM. B in constant memory that every run would pack is packed once.
template <cpu_backend On, std::floating_point T>
[[nodiscard]] gemm_prepared<T> prepare(const On& on, const gemm_args<T>& g, const prepare_options& options = {}) {
  gemm_prepared<T> made{.schedule = detail::schedule(on, g), .runs = {}, .info = {}};
  const bool as_it_is = !made.schedule.dense_c && !made.schedule.transposed && !made.schedule.turned;
  const index_t separate = made.schedule.separate, in_panels = g.b.cols - separate;
  if (as_it_is && separate == 0) {
    const kernels::gemm_plan tiles = detail::on_tiles(on.vectors(), made.schedule.plan, g);
    made.runs = detail::small_product_of(on, tiles, g);
    if (made.runs.count > 0) made.schedule.plan = tiles;
  }
  const bool constant = detail::overlap(g.b.data, 1, options.constant, static_cast<index_t>(options.constant_bytes));
  if (made.runs.count == 0 && constant && as_it_is && made.schedule.plan.family == kernels::gemm_family::packed) {
    made.schedule = detail::schedule_packed(on, kernels::block(g, 0, 0, g.c.rows, in_panels));
    made.schedule.separate = separate;
    made.info.constant_bytes =
        static_cast<std::size_t>(detail::packed_elements<T>(on.vectors(), g.b.rows, in_panels)) * sizeof(T);
  }
  made.info.executed = detail::executed_work(on.vectors(), made.schedule, g);
  if (made.runs.count > 0) {
    made.info.algorithm = "small";
    return made;
  }
  made.info.algorithm = made.info.constant_bytes != 0 ? "packed once" : kernels::name_of(made.schedule.plan.family);
  made.info.workspace_bytes = made.schedule.workspace_bytes();
  return made;
}

template <cpu_backend On, std::floating_point T>
void make_constants(const On& on, const gemm_prepared<T>& made, const gemm_args<T>& g, void* to) {
  if (made.info.constant_bytes != 0)
    detail::pack_panels(on, g.b.block(0, 0, g.b.rows, g.b.cols - made.schedule.separate), static_cast<T*>(to));
}

template <cpu_backend On, std::floating_point T>
RIDGEPOINT_INLINE void execute(const On& on, const gemm_prepared<T>& made, const gemm_args<T>& g,
                               const call_memory& memory) {
  if (made.runs.count > 0) return made.runs(g.a.data, g.b.data, g.c.data);
  detail::run(on, made.schedule, g, static_cast<std::byte*>(memory.workspace),
              made.info.constant_bytes != 0 ? static_cast<const T*>(memory.constants) : nullptr);
}

template <std::floating_point T>
decltype(detail::gemm_kernels<T>{} + type_list<kernels::gemm_prepare_small<T>>{}) kernels_of(const gemm_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
