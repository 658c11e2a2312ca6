// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <ridgepoint/ops/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Requests a backend's packed format of B: its length, or the packed data.
template <scalar T>
struct pack_b_args {
  static constexpr std::string_view name = "pack_b";
  static constexpr bool in_own_form = true;
  static constexpr product_kind product = product_kind::dense;
  matrix_view<const T> b;       // k×n, as in gemm; null data: only the length
  T* packed = nullptr;          // *elements values of backend memory, or null
  index_t* elements = nullptr;  // host memory, or null
};

/// The packed format may have more than k×n elements; the backend determines their number.
template <scalar T>
[[nodiscard]] constexpr auto operands(const pack_b_args<T>& p) noexcept {
  return std::array{operand::weight("b", p.b).counting_if(p.packed != nullptr).optional(),
                    operand::output("packed", p.packed, p.b.rows, p.b.cols).optional()};
}

/// Receipt of packing k×n elements: each is read once and written once; none if only the length is requested. A
/// backend's zero padding does not count.
template <scalar T>
[[nodiscard]] constexpr work receipt(const pack_b_args<T>& p) noexcept {
  const std::uint64_t elements = p.packed != nullptr ? static_cast<std::uint64_t>(p.b.rows * p.b.cols) : 0;
  const std::uint64_t bytes = scalar_traits<T>::bytes * elements;
  return {.bytes = {.weights = bytes, .outputs = bytes, .type = element_of<T>}};
}

/// One GEMM with packed B.
template <scalar T>
struct gemm_packed_args {
  static constexpr std::string_view name = "gemm_packed";
  static constexpr bool in_own_form = true;
  static constexpr product_kind product = product_kind::dense;
  matrix_view<const T> a;  // m×k, as in gemm
  const T* packed = nullptr;
  matrix_view<T> c;  // m×n, columns adjacent
  gemm_options<T> options = {};
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const gemm_packed_args<T>& g) noexcept {
  const bool some_m = g.c.rows > 0, some_n = g.c.cols > 0;
  return std::array{operand::input("a", g.a).counting_if(some_n),
                    operand::weight("packed", g.packed, g.a.cols, g.c.cols).counting_if(some_m),
                    g.options.beta == T(0) ? operand::output("c", g.c) : operand::sum("c", g.c),
                    operand::weight("bias", g.options.bias.data, g.c.cols).counting_if(some_m).optional()};
}

/// Receipt of a product with packed B: that of gemm().
template <scalar T>
[[nodiscard]] constexpr work receipt(const gemm_packed_args<T>& g) noexcept {
  return receipt(gemm_args<T>{.a = g.a, .b = {g.packed, g.a.cols, g.c.cols}, .c = g.c, .options = g.options});
}

/// B of a GEMM in the fastest format of one backend: for weights that are used many times. Created by pack_b().
/// Example:
///   const rp::packed_matrix w = rp::pack_b(on, weights);      // k×n
///   rp::gemm(on, x, w, y);                                    // y = x·W
template <scalar T, backend Backend>
struct packed_matrix {
  index_t k = 0, n = 0;
  typename Backend::buffer memory;
  std::string packed_by;  // the backend's name: instruction sets pack differently
};

/// Returns B packed for `on`.
/// Throws: shape_error if an extent is negative, the size overflows, rows or columns overlap, strides exceed the
/// address space or b.data is null; std::bad_alloc.
template <backend Backend, scalar T>
  requires(executes<Backend, pack_b_args<T>>)
[[nodiscard]] packed_matrix<T, Backend> pack_b(const Backend& on, matrix_view<const T> b) {
  static_cast<void>(checked_mul(checked_mul(b.rows, b.cols), 64 * static_cast<index_t>(sizeof(T))));
  require<shape_error>(b.rows * b.cols == 0 || b.data != nullptr, "pack_b: b is ", b,
                       " at a null pointer; must point to its elements");
  detail::check_line_distance("pack_b", "b", b);
  detail::check_reach("pack_b", "b", b);
  index_t elements = 0;
  execute(on, pack_b_args<T>{.b = b, .elements = &elements});
  packed_matrix<T, Backend> packed{b.rows, b.cols, on.allocate(static_cast<std::size_t>(elements) * sizeof(T)),
                                   std::string(on.name())};
  execute(on, pack_b_args<T>{.b = b, .packed = static_cast<T*>(packed.memory.data()), .elements = &elements});
  return packed;
}
template <backend Backend, scalar T>
  requires(executes<Backend, pack_b_args<T>> && !std::is_const_v<T>)
[[nodiscard]] packed_matrix<T, Backend> pack_b(const Backend& on, matrix_view<T> b) {
  return pack_b(on, matrix_view<const T>(b));
}
/// Packs a tensor, or another argument that converts to a matrix.
template <backend Backend, class X>
  requires(matrix_like<const X>)
[[nodiscard]] auto pack_b(const Backend& on, const X& b) { return pack_b(on, matrix_of(b)); }

/// C ← f(α·A·B + β·C + bias) with B packed by the same backend. Work: receipt(gemm_packed_args).
/// Throws: shape_error as gemm(), or if the columns of c are not adjacent; value_error for a B packed by another
/// backend or instruction set. c is then unchanged.
template <scalar T, backend Backend, class C>
work gemm(const Backend& on, const matrix_in<T>& a, const packed_matrix<T, Backend>& b, C&& c,
          const std::type_identity_t<gemm_options<T>>& options = {}) {
  static_assert(runs<Backend, gemm_packed_args<T>>, "gemm: b must be packed by a backend that multiplies packed ones");
  static_assert(has_output<Backend, matrix_element<C, T>>, "gemm: c must be a mutable matrix of b's elements");
  const matrix_view<T> out = matrix_output<matrix_element<C, T>>(c);
  check(gemm_args<T>{.a = a, .b = {static_cast<const T*>(b.memory.data()), b.k, b.n}, .c = out, .options = options});
  require<value_error>(b.packed_by == on.name(), "gemm: b is packed by ", b.packed_by, "; must be by ", on.name());
  require<shape_error>(out.cols <= 1 || out.col_stride == 1, "gemm: c is ", out,
                       "; with a packed b its columns must be adjacent");
  const gemm_packed_args<T> args{
      .a = a, .packed = static_cast<const T*>(b.memory.data()), .c = out, .options = options};
  execute(on, args);
  return receipt(args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
