// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <type_traits>

#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/kernels/gemm/small.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Computes C(M×N) ← α·A(M×K)·B(K×N) + β·C with compile-time extents: inlined into the caller for the instruction set
/// it is compiled for, with no check, no plan and no call at run time. Meant for extents up to 64.
///
/// β = 0 never reads c. Requires: c does not overlap a and b; nothing is checked.
/// Work: 2·M·N·K FLOP, and M·N for each of α ≠ 1 and β ≠ 0, 1 more where β ≠ 1.
/// Example:
///   float a[8 * 8] = {}, b[8 * 8] = {}, c[8 * 8];
///   rp::gemm<8, 8, 8>(a, b, c);
///   using square = rp::static_view<float, 8, 8>;
///   rp::gemm(square(a), square(b), square(c));
template <index_t M, index_t N, index_t K, index_t Lda = K, index_t Ldb = N, index_t Ldc = N, std::floating_point T>
RIDGEPOINT_INLINE void gemm(const T* a, const T* b, T* c, std::type_identity_t<T> alpha = T(1),
                            std::type_identity_t<T> beta = T(0)) noexcept {
  static_assert(M >= 1 && N >= 1 && K >= 1, "gemm: extents must be at least 1");
  static_assert(Lda >= K && Ldb >= N && Ldc >= N, "gemm: rows run into each other; leading dimensions are too small");
  kernels::gemm_fixed<T, kernels::fixed_extents{M, N, K, Lda, Ldb, Ldc}>(a, b, c, alpha, beta);
}

/// Computes the product of views.
template <class A, class B, std::floating_point T, index_t M, index_t N, index_t K, index_t Lda, index_t Ldb,
          index_t Ldc>
  requires(std::same_as<std::remove_const_t<A>, T>&& std::same_as<std::remove_const_t<B>, T>)
RIDGEPOINT_INLINE void gemm(static_view<A, M, K, Lda> a, static_view<B, K, N, Ldb> b, static_view<T, M, N, Ldc> c,
                            std::type_identity_t<T> alpha = T(1), std::type_identity_t<T> beta = T(0)) noexcept {
  gemm<M, N, K, Lda, Ldb, Ldc>(static_cast<const T*>(a.data), static_cast<const T*>(b.data), c.data, alpha, beta);
}

/// Computes `count` such products; operands of the next are a_step, b_step and c_step elements further; a step of 0
/// shares an operand A or B.
template <index_t M, index_t N, index_t K, std::floating_point T>
RIDGEPOINT_INLINE void gemm_batched(index_t count, const T* a, index_t a_step, const T* b, index_t b_step, T* c,
                                    index_t c_step, std::type_identity_t<T> alpha = T(1),
                                    std::type_identity_t<T> beta = T(0)) noexcept {
  for (index_t q = 0; q < count; ++q, a += a_step, b += b_step, c += c_step) gemm<M, N, K>(a, b, c, alpha, beta);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
