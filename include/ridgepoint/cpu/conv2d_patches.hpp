// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/conv2d_product.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// How a product of patches is cut: a part's patches, gathered in the memory of a worker, fill a sixteenth of L2.
template <class T>
struct patch_schedule {
  static constexpr const char* algorithm = "patches";
  kernels::gemm_plan plan;
  index_t all = 0;             // pixels
  index_t pixels = 0, ld = 0;  // of a part: its rows, and from one to the next
  index_t packed = 0;          // elements of the filter in panels
  std::size_t worker_bytes = 0;

  explicit patch_schedule(const conv_product<T>& p) noexcept : all(p.source.pixels()) {
    constexpr index_t size = sizeof(T), mr = kernels::tile_rows(kernels::native_unit);
    const index_t k = p.source.depth(), n = p.columns();
    if (k == 0 || all == 0) return;
    ld = kernels::row_distance<T>(k);
    const index_t most = std::max(4 * mr, gemm_host_caches().l2 / 16 / (ld * size)),
                  least_parts = std::max(ceil_div(all, most), std::min<index_t>(16, ceil_div(all, 4 * mr)));
    pixels = std::min(all, round_up(ceil_div(all, least_parts), p.is_flat() ? mr : p.source.columns.results));
    plan = kernels::plan_packed<T>(kernels::native_unit, pixels, n, k, {ld, 1}, {n, 1}, gemm_host_caches());
    packed = packed_elements<T>(kernels::native_unit, k, n);
    worker_bytes =
        piece_bytes<T>(pixels * ld) + piece_bytes<T>(kernels::packed_a_elements<T>(kernels::native_unit, plan, pixels));
  }
  [[nodiscard]] index_t parts() const noexcept { return pixels == 0 ? 0 : ceil_div(all, pixels); }
  [[nodiscard]] work executed(const conv_product<T>& p, filter_is) const noexcept { return executed_as_product(p); }
  void pack(const native_cpu& on, const conv_product<T>& p, T* to) const {
    if (packed > 0) pack_filter(on, p, to);
  }
  /// Requires: the filter in panels at `filter`; worker_bytes for every thread at `workers`.
  void run(const native_cpu& on, const conv_product<T>& p, const T* filter, std::byte* workers) const {
    const index_t k = p.source.depth(), n = p.columns();
    if (k == 0) return clear_results(p);
    const index_t row = p.is_flat() ? pixels : p.source.columns.results;
    parallel_for(on.thread_count(), parts(), [&](index_t part, index_t worker) {
      T* const patch = reinterpret_cast<T*>(workers + static_cast<std::size_t>(worker) * worker_bytes);
      T* const packed_a = patch + piece_bytes<T>(pixels * ld) / sizeof(T);
      const index_t begin = part * pixels, end = std::min(all, begin + pixels);
      kernels::gather(p.source, begin, end, patch, ld);
      for (index_t i = begin; i < end; i += row) {
        const index_t count = std::min(row, end - i);
        const gemm_args<T> g{.a = {patch + (i - begin) * ld, count, k, ld},
                             .b = {filter, k, n},  // its extents only
                             .c = p.results_of(i, count),
                             .options = p.options};
        kernels::gemm_on_panels(plan, g, filter, packed_a);
        kernels::finish_activation(g.options.act, g.c);
      }
    });
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
