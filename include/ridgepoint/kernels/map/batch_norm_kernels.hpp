// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/kernels/map/column_sums.hpp>
#include <ridgepoint/ops/add_bias.hpp>
#include <ridgepoint/ops/batch_norm.hpp>
#include <ridgepoint/ops/fold_batch_norm.hpp>

/// \file
/// Kernels of per-channel normalisations: sums of some wide rows from element `first` on, by column and then by
/// channel; column parameters from these sums; results of some wide rows. A result kernel has `parameters` numbers per
/// column, each stored in a row of wide_rows.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

template <class T>
struct batch_norm_sums {
  static constexpr auto id = kernel_id<T>("batch_norm_sums");
  static void run(const batch_norm_args<T>& a, const wide_rows& rows, index_t first, const column_sums<T>& work,
                  moments* columns, moments* channels) noexcept;
};
/// Sums the moments of all parts; sets mean, inverse and moving statistics.
template <class T>
struct batch_norm_parameters {
  static constexpr auto id = kernel_id<T>("batch_norm_parameters");
  static constexpr index_t per_column = 3;
  static void run(const batch_norm_args<T>& a, const wide_rows& g, moments* of_parts, index_t parts,
                  T* parameters) noexcept;
};
template <class T>
struct batch_norm_rows {
  static constexpr auto id = kernel_id<T>("batch_norm_rows");
  static void run(const batch_norm_args<T>& a, const wide_rows& rows, index_t first, const T* parameters) noexcept;
};

template <class T>
struct batch_norm_backward_sums {
  static constexpr auto id = kernel_id<T>("batch_norm_backward_sums");
  static void run(const batch_norm_backward_args<T>& a, const wide_rows& rows, index_t first,
                  const column_sums<T>& work, product_sums* columns, product_sums* channels) noexcept;
};
/// Sums the sums of all parts; sets dgamma and dbeta.
template <class T>
struct batch_norm_backward_parameters {
  static constexpr auto id = kernel_id<T>("batch_norm_backward_parameters");
  static constexpr index_t per_column = 4;
  static void run(const batch_norm_backward_args<T>& a, const wide_rows& g, product_sums* of_parts, index_t parts,
                  T* parameters) noexcept;
};
template <class T>
struct batch_norm_backward_rows {
  static constexpr auto id = kernel_id<T>("batch_norm_backward_rows");
  static void run(const batch_norm_backward_args<T>& a, const wide_rows& rows, index_t first,
                  const T* parameters) noexcept;
};

template <class T>
struct batch_norm_inference_parameters {
  static constexpr auto id = kernel_id<T>("batch_norm_inference_parameters");
  static constexpr index_t per_column = 2;
  static void run(const batch_norm_inference_args<T>& a, const wide_rows& g, T* parameters) noexcept;
};
template <class T>
struct batch_norm_inference_rows {
  static constexpr auto id = kernel_id<T>("batch_norm_inference_rows");
  static void run(const batch_norm_inference_args<T>& a, const wide_rows& rows, index_t first,
                  const T* parameters) noexcept;
};

/// Also sets the folded bias.
template <class T>
struct fold_batch_norm_parameters {
  static constexpr auto id = kernel_id<T>("fold_batch_norm_parameters");
  static constexpr index_t per_column = 1;
  static void run(const fold_batch_norm_args<T>& a, const wide_rows& g, T* parameters) noexcept;
};
template <class T>
struct fold_batch_norm_rows {
  static constexpr auto id = kernel_id<T>("fold_batch_norm_rows");
  static void run(const fold_batch_norm_args<T>& a, const wide_rows& rows, index_t first, const T* parameters) noexcept;
};

/// Adds the parameter of a column, its bias.
template <class T>
struct add_bias_rows {
  static constexpr auto id = kernel_id<T>("add_bias_rows");
  static void run(const add_bias_args<T>& a, const wide_rows& rows, index_t first, const T* parameters) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/map/batch_norm.hpp>
#endif
