// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <ridgepoint/cpu/gemm_in_floats.hpp>
#include <ridgepoint/cpu/gemm_in_pairs.hpp>
#include <ridgepoint/simd/cpuid.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// The two ways to a product of bfloat16.
enum class bfloat16_way { in_floats, in_pairs };

/// The faster of the two, by extents, strides, instruction set and CPU alone; in the form `packed`, B is in panels
/// already.
///
/// At half the speed of f32 (a Xeon of 89 GFLOP/s in pairs, 179 of f32) pairs gain where floats wait for memory or for
/// conversions: panels made before are worth 14 rows (1×1024×1024: 43 to 11 GFLOP/s, 12 rows 87 to 81), rows of B as
/// they are 6 (66 to 56, 8 rows 65 to 68), columns of B 4 (43 to 39), and products of up to 48³ (61 to 37) whatever
/// they are. At twice the speed pairs lose only where few columns leave much of a register empty.
[[nodiscard]] inline bfloat16_way way_of(kernels::vector_unit v, const gemm_args<bfloat16>& given,
                                         simd::bfloat16_speed speed, b_form form) noexcept {
  using enum bfloat16_way;
  if (!kernels::multiplies_pairs(v) || speed == simd::bfloat16_speed::none) return in_floats;
  const gemm_args<bfloat16> g = transposes_in_pairs(given) ? transposed(given) : given;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const bool packed = form == b_form::packed && !transposes_in_pairs(given);
  const index_t few_rows = packed ? kernels::pair_tile::rows : g.b.col_stride == 1 ? 6 : 4;
  const bool is_little = m <= 48 && n <= 48 && k <= 48;
  const bool gains = m <= few_rows || speed == simd::bfloat16_speed::twice;
  return is_little || (gains && n >= kernels::pair_tile::lanes / 2) ? in_pairs : in_floats;
}

}  // namespace detail

/// A product of bfloat16 whose way and schedule are chosen.
template <>
struct gemm_prepared<bfloat16> {
  detail::bfloat16_way way;
  detail::pair_schedule pairs;
  detail::stored_block_schedule floats;
  preparation told;
};

namespace detail {

/// prepare() on a way that is given. Requires: a CPU that has it.
template <cpu_backend On, std::same_as<bfloat16> T>
[[nodiscard]] gemm_prepared<T> prepare_on(const On& on, const gemm_args<T>& g, const prepare_options& options,
                                          bfloat16_way way) {
  gemm_prepared<T> made{.way = way, .pairs = {}, .floats = {}, .told = {}};
  made.told.executed = receipt(g);
  std::uint64_t& flop = made.told.executed.matrix_flop;
  made.told.executed.flop -= flop;
  if (way == bfloat16_way::in_floats) {
    made.floats = schedule_in_floats(on, g);
    flop = made.floats.matrix_flop;
    made.told.algorithm = "in floats";
    made.told.workspace_bytes = made.floats.workspace_bytes();
  } else {
    const bool constant = overlap(g.b.data, 1, options.constant, static_cast<index_t>(options.constant_bytes));
    const b_form form = constant && !transposes_in_pairs(g) ? b_form::packed : b_form::as_it_is;
    made.pairs = schedule_in_pairs(on.thread_count(), g, form);
    flop = flop_in_pairs(made.pairs, g);
    made.told.algorithm = form == b_form::packed ? "vdpbf16ps, packed once" : "vdpbf16ps";
    made.told.workspace_bytes = made.pairs.workspace_bytes();
    if (form == b_form::packed) made.told.constant_bytes = piece_bytes<T>(packed_pair_elements(g.b.rows, g.b.cols));
  }
  made.told.executed.flop += flop;
  return made;
}

template <cpu_backend On, std::same_as<bfloat16> T>
void run_prepared(const On& on, const gemm_prepared<T>& made, const gemm_args<T>& g, const call_memory& memory) {
  auto* const workspace = static_cast<std::byte*>(memory.workspace);
  if (made.way == bfloat16_way::in_pairs)
    return run_in_pairs(on, made.pairs, g, workspace,
                        made.told.constant_bytes != 0 ? static_cast<const T*>(memory.constants) : nullptr);
  run_in_floats(on, made.floats, g, workspace);
}

}  // namespace detail

/// C ← f(α·A·B + β·C + bias) stored in bfloat16, summed in f32 and rounded once: in pairs by vdpbf16ps, where
/// the CPU has it and gains by it, else in floats by the kernels of f32. Which, follows from the extents and the CPU;
/// prepare() tells it: "vdpbf16ps", "in floats".
///
/// The two round differently. vdpbf16ps takes two products a lane, each exact in f32, and rounds after each of them to
/// the nearest even; operands, products and sums that are denormal in f32 become 0. In floats, an FMA rounds once and
/// keeps denormals.
/// Memory beside the operands: a part of the depth for a panel of B, or for A, or a block in floats, for each thread.
template <cpu_backend On, std::same_as<bfloat16> T>
void execute(const On& on, const gemm_args<T>& g) {
  struct tag;
  const detail::bfloat16_way way =
      detail::way_of(on.vectors(), g, simd::cpu_speed_of_bfloat16(), detail::b_form::as_it_is);
  const gemm_prepared<T> made = detail::prepare_on(on, g, {}, way);
  detail::run_prepared(on, made, g, {.workspace = thread_scratch<tag>(made.told.workspace_bytes)});
}

/// Chooses way and schedule. A B in constant memory is packed once where it is computed in pairs.
template <cpu_backend On, std::same_as<bfloat16> T>
[[nodiscard]] gemm_prepared<T> prepare(const On& on, const gemm_args<T>& g, const prepare_options& options = {}) {
  const bool constant = detail::overlap(g.b.data, 1, options.constant, static_cast<index_t>(options.constant_bytes));
  const detail::b_form form = constant ? detail::b_form::packed : detail::b_form::as_it_is;
  return detail::prepare_on(on, g, options, detail::way_of(on.vectors(), g, simd::cpu_speed_of_bfloat16(), form));
}

template <cpu_backend On, std::same_as<bfloat16> T>
void make_constants(const On& on, const gemm_prepared<T>& made, const gemm_args<T>& g, void* to) {
  if (made.told.constant_bytes != 0) detail::pack_pair_panels(on, g.b, static_cast<T*>(to));
}

template <cpu_backend On, std::same_as<bfloat16> T>
void execute(const On& on, const gemm_prepared<T>& made, const gemm_args<T>& g, const call_memory& memory) {
  detail::run_prepared(on, made, g, memory);
}

template <std::same_as<bfloat16> T>
decltype(detail::gemm_kernels<float>{} + type_list<kernels::convert_block<float, T>, kernels::convert_block<T, float>,
                                                   kernels::gemm_pair_block<T>, kernels::gemm_pack_pair_panel<T>>{})
    kernels_of(const gemm_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
