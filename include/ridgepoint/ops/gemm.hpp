// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/core/view.hpp>
#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Operations on the product before it is stored.
template <scalar T>
struct gemm_options {
  compute_t<T> alpha = compute_t<T>(1);
  compute_t<T> beta = compute_t<T>(0);  // 0 never reads c
  elements<const T> bias = nullptr;     // n values added to every row; backend memory
  ridgepoint::activation act = ridgepoint::activation::none;
  [[no_unique_address]] named_act activation = {};
};

/// Arguments of one GEMM for a backend; built and checked by gemm().
template <scalar T>
struct gemm_args {
  static constexpr std::string_view name = "gemm";
  static constexpr product_kind product = product_kind::dense;
  matrix_view<const T> a, b;  // m×k, k×n; lines of adjacent elements do not overlap
  matrix_view<T> c;           // m×n
  gemm_options<T> options = {};
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const gemm_args<T>& g) noexcept {
  const bool some_m = g.c.rows > 0, some_n = g.c.cols > 0;
  return std::array{operand::input("a", g.a).counting_if(some_n), operand::weight("b", g.b).counting_if(some_m),
                    g.options.beta == compute_t<T>(0) ? operand::output("c", g.c) : operand::sum("c", g.c),
                    operand::weight("bias", g.options.bias.data, g.c.cols).counting_if(some_m).optional()};
}

/// Receipt of C(m×n) ← f(α·A·B + β·C + bias): 2·m·n·k matrix FLOP, then per element one for α ≠ 1, one for β = 1 or two
/// for any other β ≠ 0, one for the bias, and the activation's.
template <scalar T>
[[nodiscard]] constexpr work receipt(const gemm_args<T>& g) noexcept {
  using number = compute_t<T>;
  const gemm_options<T>& options = g.options;
  if (g.c.rows == 0 || g.c.cols == 0) return {.bytes = {.type = element_of<T>}};  // nothing to compute or to read
  const auto m = static_cast<std::uint64_t>(g.c.rows), n = static_cast<std::uint64_t>(g.c.cols),
             k = static_cast<std::uint64_t>(g.a.cols);
  const bool reads_c = !exactly(options.beta, number(0)), has_bias = options.bias != nullptr;
  const std::uint64_t per_element = (exactly(options.alpha, number(1)) ? 0U : 1U) +
                                    (!reads_c                           ? 0U
                                     : exactly(options.beta, number(1)) ? 1U
                                                                        : 2U) +
                                    (has_bias ? 1U : 0U);
  constexpr std::uint64_t bytes = scalar_traits<T>::bytes;
  return work{.flop = 2 * m * n * k + per_element * m * n,
              .matrix_flop = 2 * m * n * k,
              .bytes = {.inputs = bytes * (m * k + (reads_c ? m * n : 0)),
                        .weights = bytes * (k * n + (has_bias ? n : 0)),
                        .outputs = bytes * m * n,
                        .type = element_of<T>}} +
         activation_arithmetic(options.act, m * n);
}

/// C ← f(α·A·B + β·C + bias) for a (m×k), b (k×n), c (m×n), any of them transposed: gemm(on, a.transposed(), b, c).
///
/// β = 0 never reads c, so c may be uninitialised or hold NaN. c must not overlap a, b or bias. k = 0 gives
/// f(β·C + bias) if α is finite. a and b may have strides of any sign, and a stride of 0 repeats one row or column.
/// Only overlapping rows of adjacent elements (0 < row_stride < cols; likewise columns) are refused, since they usually
/// mean a wrong leading dimension.
/// Next: reference/gemm.hpp is the definition, cpu/gemm.hpp the schedule, kernels/gemm/microkernel.hpp the inner loop.
/// Work: receipt(gemm_args).
/// Throws: shape_error if extents disagree, bias is a range of another size, a pointer is null, rows or columns of a or
/// b overlap, strides exceed the address space, c overlaps a, b or bias or has strides that are not positive or make
/// elements coincide; value_error if the activation takes a parameter. c is then unchanged.
/// Example:
///   const rp::cpu on;
///   const rp::work receipt = rp::gemm(on, a, b, c);   // receipt.flop == 2*m*n*k
template <class T = deduced, class Backend, class C = matrix_view<T>, class E = matrix_element<C, T>>
RIDGEPOINT_INLINE work gemm(const Backend& on, const matrix_in<E>& a, const matrix_in<E>& b, C&& c = {},
                            const std::type_identity_t<gemm_options<E>>& options = {}) {
  static_assert(runs<Backend, gemm_args<E>, E>, "gemm: the first argument must be a backend that has gemm: rp::cpu");
  static_assert(has_output<Backend, E>, "gemm: c must be a mutable matrix of float or double: a tensor or a view");
  return detail::run_checked<E>(on, gemm_args<E>{.a = a, .b = b, .c = matrix_output<E>(c), .options = options});
}

namespace detail {
/// Returns true if `count` positions at a stride of `step` elements of T, in either direction, span at most a quarter
/// of the address space: rows, columns and a batch together then fit an index_t in bytes.
template <class T>
[[nodiscard]] constexpr bool within_reach(index_t count, index_t step) noexcept {
  if (count < 2) return true;
  const index_t most = (std::numeric_limits<index_t>::max)() / (4 * static_cast<index_t>(sizeof(T))) / (count - 1);
  return step >= -most && step <= most;
}

/// Throws: shape_error if a non-empty view has strides out of reach.
template <class T>
void check_reach(std::string_view op, std::string_view name, const matrix_view<T>& v) {
  const bool reachable =
      v.rows == 0 || v.cols == 0 || (within_reach<T>(v.rows, v.row_stride) && within_reach<T>(v.cols, v.col_stride));
  require<shape_error>(reachable, op, ": ", name, " is ", v, "; its strides must stay within the addresses");
}

/// Returns true if rows of adjacent elements overlap.
template <class T>
[[nodiscard]] constexpr bool rows_meet(const matrix_view<T>& v) noexcept {
  return v.col_stride == 1 && v.row_stride < v.cols && v.row_stride > 0 && v.rows > 1;
}
/// Throws: shape_error if rows of adjacent elements overlap, or columns of them.
template <class T>
void check_line_distance(std::string_view op, std::string_view name, const matrix_view<T>& v) {
  require<shape_error>(!rows_meet(v), op, ": ", name, " is ", v,
                       ", whose rows run into each other; its row stride must be 0 or at least ", v.cols);
  require<shape_error>(!rows_meet(v.transposed()), op, ": ", name, " is ", v,
                       ", whose columns run into each other; its column stride must be 0 or at least ", v.rows);
}

/// Returns the view with data at the lowest address: no stride is negative, and the smaller one is inside.
template <class T>
[[nodiscard]] constexpr matrix_view<T> ascending(matrix_view<T> v) noexcept {
  const auto turn = [&](index_t extent, index_t& stride) {
    if (stride >= 0) return;
    if (extent > 1) v.data += (extent - 1) * stride;
    stride = extent > 1 ? -stride : 0;
  };
  turn(v.rows, v.row_stride);
  turn(v.cols, v.col_stride);
  return v.row_stride < v.col_stride ? v.transposed() : v;
}
/// Returns the elements from the first to past the last of an ascending view that is not empty.
template <class T>
[[nodiscard]] constexpr index_t span_elements(const matrix_view<T>& v) noexcept {
  return (v.rows - 1) * v.row_stride + (v.cols - 1) * v.col_stride + 1;
}

/// Returns true if two views may share an element: their spans overlap, and they are not different columns or rows of
/// one matrix. Requires: strides within reach.
template <class T>
[[nodiscard]] bool may_share(matrix_view<T> c, matrix_view<const T> x) noexcept {
  if (c.rows * c.cols == 0 || x.rows * x.cols == 0) return false;
  c = ascending(c), x = ascending(x);
  constexpr auto bytes = static_cast<index_t>(sizeof(T));
  if (!overlap(c.data, span_elements(c) * bytes, x.data, span_elements(x) * bytes)) return false;
  if (c.row_stride != x.row_stride || c.row_stride == 0) return true;
  const index_t c_width = (c.cols - 1) * c.col_stride + 1, x_width = (x.cols - 1) * x.col_stride + 1;
  const index_t offset =
      ((x.data - c.data) % c.row_stride + c.row_stride) % c.row_stride;  // offset of x's first column from c's
  return offset < c_width || offset + x_width > c.row_stride;
}
/// Throws: shape_error, value_error as gemm().
template <scalar T>
RIDGEPOINT_NOINLINE void check_every(const gemm_args<T>& g) {
  const auto& [a, b, c, options] = g;
  check_fusable("gemm", options.act);
  require<shape_error>(a.rows >= 0 && a.cols >= 0 && b.cols >= 0, "gemm: a is ", a, ", b is ", b,
                       "; extents must be >= 0");
  require<shape_error>(a.cols == b.rows, "gemm: a is ", a, " but b is ", b, "; a.cols must equal b.rows");
  require<shape_error>(c.rows == a.rows && c.cols == b.cols, "gemm: c is ", c, "; must be ", a.rows, 'x', b.cols);
  static_cast<void>(checked_mul(checked_mul(c.rows, c.cols), static_cast<index_t>(sizeof(T))));
  static_cast<void>(checked_mul(checked_mul(a.rows, a.cols), static_cast<index_t>(sizeof(T))));
  static_cast<void>(checked_mul(checked_mul(b.rows, b.cols), static_cast<index_t>(sizeof(T))));
  const bool some_c = c.rows > 0 && c.cols > 0, some_k = a.cols > 0;
  require<shape_error>(!some_c || c.data != nullptr, "gemm: c is ", c,
                       " at a null pointer; must point to its elements");
  require<shape_error>(!(some_c && some_k) || (a.data != nullptr && b.data != nullptr),
                       "gemm: ", a.data == nullptr ? "a" : "b", " is a null pointer; must point to its elements");
  detail::check_line_distance("gemm", "a", a);
  detail::check_line_distance("gemm", "b", b);
  detail::check_reach("gemm", "a", a);
  detail::check_reach("gemm", "b", b);
  detail::check_reach("gemm", "c", c);
  const bool distinct = (c.col_stride >= 1 && (c.rows <= 1 || c.row_stride >= (c.cols - 1) * c.col_stride + 1)) ||
                        (c.row_stride >= 1 && (c.cols <= 1 || c.col_stride >= (c.rows - 1) * c.row_stride + 1));
  require<shape_error>(!some_c || distinct, "gemm: c is ", c, "; strides must be positive without overlap");
  require<shape_error>(!detail::may_share(c, a), "gemm: c overlaps a; must not overlap");
  require<shape_error>(!detail::may_share(c, b), "gemm: c overlaps b; must not overlap");
  static_cast<void>(options.bias.first_of(c.cols, "gemm", "bias"));
  require<shape_error>(options.bias == nullptr || !detail::may_share(c, {options.bias.data, 1, c.cols, c.row_stride}),
                       "gemm: c overlaps bias; must not overlap");
}

/// Returns true for ordinary arguments: extents that agree and are 1 to a million, strides that are not negative, rows
/// that do not overlap, contiguous rows of c, separate operands. They need no further checks, so that a product of a
/// few elements is not delayed.
template <scalar T>
[[nodiscard]] bool ordinary(const gemm_args<T>& g) noexcept {
  constexpr index_t most_extent = index_t{1} << 20, most_stride = index_t{1} << 30;
  const matrix_view<const T>&a = g.a, &b = g.b;
  const matrix_view<T>& c = g.c;
  const T* const bias = g.options.bias;
  const auto extent = [](index_t n) { return static_cast<std::uint64_t>(n - 1) < most_extent; };
  const auto stride = [](index_t n) { return static_cast<std::uint64_t>(n) < most_stride; };
  const bool shapes =
      a.cols == b.rows && c.rows == a.rows && c.cols == b.cols && extent(c.rows) && extent(c.cols) && extent(a.cols);
  const bool strides = stride(a.row_stride) && stride(a.col_stride) && stride(b.row_stride) && stride(b.col_stride) &&
                       c.col_stride == 1 && c.row_stride >= c.cols && stride(c.row_stride);
  if (!shapes || !strides || a.data == nullptr || b.data == nullptr || c.data == nullptr) return false;
  if (rows_meet(a) || rows_meet(a.transposed()) || rows_meet(b) || rows_meet(b.transposed())) return false;
  const auto separate = [&](const T* x, index_t rows, index_t row_stride, index_t cols, index_t col_stride) {
    const auto begin = reinterpret_cast<std::uintptr_t>(x), c_begin = reinterpret_cast<std::uintptr_t>(c.data);
    const auto span = [](index_t r, index_t rs, index_t n, index_t s) {
      return static_cast<std::uintptr_t>((r - 1) * rs + (n - 1) * s + 1) * sizeof(T);
    };
    return begin + span(rows, row_stride, cols, col_stride) <= c_begin ||
           c_begin + span(c.rows, c.row_stride, c.cols, 1) <= begin;
  };
  return separate(a.data, a.rows, a.row_stride, a.cols, a.col_stride) &&
         separate(b.data, b.rows, b.row_stride, b.cols, b.col_stride) &&
         (bias == nullptr || (g.options.bias.may_be(c.cols) && separate(bias, 1, 0, c.cols, 1)));
}
}  // namespace detail

/// Throws: as gemm().
template <scalar T>
void check(const gemm_args<T>& g) {
  if (g.options.act == activation::none && detail::ordinary(g)) return;
  detail::check_every(g);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
