// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/kernels/map/column_sum_kernels.hpp>
#include <ridgepoint/ops/add_bias.hpp>
#include <ridgepoint/ops/batch_norm.hpp>
#include <ridgepoint/ops/fold_batch_norm.hpp>
#include <ridgepoint/ops/group_norm.hpp>
#include <ridgepoint/ops/layer_norm.hpp>
#include <ridgepoint/ops/rms_norm.hpp>

/// \file
/// Kernels of normalisations.
///
/// Per channel (batch_norm, fold_batch_norm, add_bias): sums of some wide rows from element `first` on, by column and
/// then by channel; per_column parameters of each column, each stored in a row of wide_rows; results of some wide rows.
/// group_norm: images [first, end). layer_norm and rms_norm: rows [begin, end).
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

/// Columns of an image: pixels of channels, with equally many channels per group.
struct grouped_columns {
  wide_rows rows;  // of the pixels
  index_t pixels, channels, groups;

  [[nodiscard]] static grouped_columns of(index_t pixels, index_t channels, index_t groups, index_t lanes) noexcept {
    return {wide_rows::of(pixels, channels, lanes), pixels, channels, groups};
  }
  /// Number of elements of a group.
  [[nodiscard]] double count() const noexcept {
    const index_t each = channels / groups;
    return static_cast<double>(pixels * each);
  }
  /// Calls use(column of a wide row, channel, group) for every column.
  template <class Use>
  void for_each(const Use& use) const {
    const index_t each = channels / groups;
    for (index_t first = 0; first < rows.width; first += channels)
      for (index_t k = 0; k < groups; ++k)
        for (index_t c = k * each; c < (k + 1) * each; ++c) use(first + c, c, k);
  }
  /// Calls use(first element, rows) for blocks of as many rows as are summed in T.
  template <class T, class Use>
  void for_summed_rows(const Use& use) const {
    for (index_t first = 0; first < rows.rows; first += summed_rows<T>)
      use(first * rows.width, rows.part(first, (std::min)(rows.rows, first + summed_rows<T>)));
  }
};

/// Statistics of a group; the mean is centre + beyond.
struct group_statistics {
  double centre = 0, beyond = 0, variance = 0;

  /// Whether the centre is so far from the mean that sums around it have lost digits.
  [[nodiscard]] bool is_far() const noexcept { return beyond * beyond > variance; }
};

/// Memory of a thread: sums and parameters of the columns of an image, and one OfGroup per group.
template <class T, class OfGroup>
struct group_memory {
  static constexpr index_t per_column = 4;
  column_sums<T> work;
  T* column_parameters;
  OfGroup* groups;
};

template <class T>
struct group_norm_images {
  static constexpr auto id = kernel_id<T>("group_norm_images");
  static void run(const group_norm_args<T>& a, const grouped_columns& g, index_t first, index_t end,
                  const group_memory<T, group_statistics>& memory) noexcept;
};

/// Adds dgamma and dbeta of the images to `of`; `channels` is memory for the channel sums of an image.
template <class T>
struct group_norm_backward_images {
  static constexpr auto id = kernel_id<T>("group_norm_backward_images");
  static void run(const group_norm_backward_args<T>& a, const grouped_columns& g, index_t first, index_t end,
                  const group_memory<T, weight_sums>& memory, product_sums* channels, weight_sums* of) noexcept;
};

/// Rows [begin, end).
template <class T>
struct layer_norm_chunk {
  static constexpr auto id = kernel_id<T>("layer_norm_chunk");
  static void run(const layer_norm_args<T>& a, index_t begin, index_t end) noexcept;
};

/// Rows [begin, end): dx, and their contributions to dgamma and dbeta.
template <class T>
struct layer_norm_backward_chunk {
  static constexpr auto id = kernel_id<T>("layer_norm_backward_chunk");
  static void run(const layer_norm_backward_args<T>& a, index_t begin, index_t end, const column_sums<T>& work,
                  weight_sums* of) noexcept;
};

/// Rows [begin, end).
template <class T>
struct rms_norm_chunk {
  static constexpr auto id = kernel_id<T>("rms_norm_chunk");
  static void run(const rms_norm_args<T>& a, index_t begin, index_t end) noexcept;
};

/// Rows [begin, end): dx, and their contributions to dgamma.
template <class T>
struct rms_norm_backward_chunk {
  static constexpr auto id = kernel_id<T>("rms_norm_backward_chunk");
  static void run(const rms_norm_backward_args<T>& a, index_t begin, index_t end, const column_sums<T>& work,
                  weight_sums* of) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/map/normalisation.hpp>
#endif
