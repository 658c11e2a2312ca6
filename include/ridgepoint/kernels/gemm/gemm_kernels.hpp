// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/ops/gemm.hpp>

/// \file
/// Kernels of GEMM: C ← f(α·A·B + β·C + bias) on one thread: all of a small product, else the block or step that a
/// schedule selects (cpu/gemm.hpp). C has unit column stride.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Whether c is just the product: no β, bias or relu.
template <class T>
[[nodiscard]] bool is_plain(const gemm_options<T>& options) noexcept {
  return exactly(options.beta, T(0)) && options.bias == nullptr && options.act != activation::relu;
}

/// Returns the part of the options that a plan depends on.
template <class T>
[[nodiscard]] gemm_result result_of(const gemm_options<T>& options) noexcept {
  return is_plain(options) ? gemm_result::product : gemm_result::finished;
}

/// Returns the problem of one block of C, with its share of A, B and the bias.
template <class T>
[[nodiscard]] gemm_args<T> block(gemm_args<T> g, index_t i, index_t j, index_t height, index_t width) noexcept {
  g.a = g.a.block(i, 0, height, g.a.cols);
  g.b = g.b.block(0, j, g.b.rows, width);
  g.c = g.c.block(i, j, height, width);
  if (g.options.bias != nullptr) g.options.bias = g.options.bias + j;
  return g;
}

/// Computes a product so small that a schedule would take longer. Returns false, and does nothing, if g is larger.
template <class T>
struct gemm_small {
  static constexpr auto id = kernel_id<T>("gemm_small");
  static bool run(const gemm_args<T>& g) noexcept;
};

/// Computes, element by element, a product so small that choosing a tile would take longer.
template <class T>
struct gemm_elements {
  static constexpr auto id = kernel_id<T>("gemm_elements");
  static void run(const gemm_args<T>& g) noexcept;
};

/// Computes a block of C with the register tiles of `plan`, or as an outer product. `packed`, if given, is B in panels
/// of gemm_pack_panel; `memory` holds packed_a_elements() and, without `packed`, packed_b_elements().
template <class T>
struct gemm_block {
  static constexpr auto id = kernel_id<T>("gemm_block");
  static void run(const gemm_plan& plan, const gemm_args<T>& g, const T* packed, T* memory) noexcept;
};

/// Computes one row of C, f none or relu. all_columns: columns of the full problem, which alone determine the order of
/// summation. `memory` holds a row of C and one of A.
template <class T>
struct gemm_row {
  static constexpr auto id = kernel_id<T>("gemm_row");
  static void run(const gemm_args<T>& g, index_t all_columns, T* memory) noexcept;
};

/// Computes C as dot products of rows of A and the columns of B at b (stride ld), f none or relu. all_rows: rows of the
/// full problem.
template <class T>
struct gemm_dots {
  static constexpr auto id = kernel_id<T>("gemm_dots");
  static void run(const gemm_args<T>& g, const T* b, index_t ld, index_t all_rows) noexcept;
};

/// Computes a narrow C of a row-major A and the dense B at b, f none or relu. all_rows: rows of the full problem.
template <class T>
struct gemm_narrow {
  static constexpr auto id = kernel_id<T>("gemm_narrow");
  static void run(const gemm_args<T>& g, const T* b, index_t all_rows) noexcept;
};

/// Computes a block of a C of few columns, by columns, f none or relu: of at least as many rows as a register has
/// lanes, or with rows of the full problem before it.
template <class T>
struct gemm_columns {
  static constexpr auto id = kernel_id<T>("gemm_columns");
  static void run(const gemm_args<T>& g) noexcept;
};

/// C ← f(β·C + bias), for k = 0.
template <class T>
struct gemm_scale {
  static constexpr auto id = kernel_id<T>("gemm_scale");
  static void run(const gemm_args<T>& g) noexcept;
};

/// c ← f(c) for activations that are not applied in registers: relu6, sigmoid, tanh.
template <class T>
struct finish_activation_of {
  static constexpr auto id = kernel_id<T>("finish_activation_of");
  static void run(activation f, const matrix_view<T>& c) noexcept;
};

/// dst(j, i) ← src(i, j), with dst_ld between rows; writes turned_rows(src.cols) rows. Requires: rows of src are
/// contiguous.
template <class T>
struct turn_rows {
  static constexpr auto id = kernel_id<T>("turn_rows");
  static void run(const matrix_view<const T>& src, T* dst, index_t dst_ld) noexcept;
};

/// How a product is transposed. In squares: the product has as many rows as a square, and the surplus of a row falls on
/// rows of C that are written later.
enum class turned_in { elements, squares };

/// C ← f(α·Pᵀ + β·C + bias) of a product P, whose rows are C's columns. In squares: C ← f(Pᵀ), with dense rows.
template <class T>
struct gemm_finish_turned {
  static constexpr auto id = kernel_id<T>("gemm_finish_turned");
  static void run(const gemm_args<T>& g, const T* product, turned_in how) noexcept;
};

/// Packs a panel of B of up to panel_width() columns: row p at dst + p·panel_width(), missing columns zero.
template <class T>
struct gemm_pack_panel {
  static constexpr auto id = kernel_id<T>("gemm_pack_panel");
  static void run(const matrix_view<const T>& b, T* dst) noexcept;
};

/// Prepares the runs of a small product, summed as by `plan`, to the same bits; no runs if the product is not small.
/// Requires: B row-major; no bias, no activation.
template <class T>
struct gemm_prepare_small {
  static constexpr auto id = kernel_id<T>("gemm_prepare_small");
  static small_product<T> run(const gemm_plan& plan, const gemm_args<T>& g) noexcept;
};

/// Kernels that the schedules of cpu/gemm_schedule.hpp run.
template <class T>
using gemm_kernels = type_list<gemm_small<T>, gemm_elements<T>, gemm_block<T>, gemm_row<T>, gemm_dots<T>,
                               gemm_narrow<T>, gemm_columns<T>, gemm_scale<T>, finish_activation_of<T>, turn_rows<T>,
                               gemm_finish_turned<T>, gemm_pack_panel<T>>;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/gemm/gemm.hpp>
#endif
