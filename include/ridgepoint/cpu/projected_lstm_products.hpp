// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/gemm_prepare.hpp>
#include <ridgepoint/cpu/recurrent_schedule.hpp>

/// \file
/// What both passes of projected_lstm are made of: products with weights, step after step. Threads take samples through
/// all steps and share weights that are packed once; few rows are multiplied with the weights where they lie.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Where products read their weights: where they lie, or in panels that all threads share.
enum class weights_read { in_place, packed };

/// A product of some rows with weights that many products have: where they lie, or packed beside others before.
template <class T>
struct product_with_weights {
  gemm_schedule schedule;
  index_t packed = 0;  // elements; 0: where they lie
  std::size_t at = 0;  // bytes of those packed before

  /// `bytes` are those of all that are packed, and grow.
  template <cpu_backend On>
  [[nodiscard]] static product_with_weights of(const On& on, const gemm_args<T>& product, weights_read how,
                                               std::size_t& bytes) {
    if (how == weights_read::in_place) return {.schedule = detail::schedule(on, product)};
    product_with_weights made{.schedule = schedule_packed(on.on_one_thread(), product),
                              .packed = packed_elements<T>(on.vectors(), product.b.rows, product.b.cols),
                              .at = bytes};
    bytes += piece_bytes<T>(made.packed);
    return made;
  }
  template <cpu_backend On>
  void pack(const On& on, const matrix_view<const T>& weights, std::byte* all) const {
    if (packed > 0) pack_panels(on, weights, reinterpret_cast<T*>(all + at));
  }
  /// `all` is what was packed.
  template <cpu_backend On>
  void run(const On& on, const gemm_args<T>& product, const std::byte* all, std::byte* workspace) const {
    detail::run(on, schedule, product, workspace, packed > 0 ? reinterpret_cast<const T*>(all + at) : nullptr);
  }
  /// Multiplications and additions of `times` such products.
  [[nodiscard]] std::uint64_t executed(kernels::vector_unit v, const gemm_args<T>& product,
                                       index_t times) const noexcept {
    return executed_by(v, schedule, product, times);
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
