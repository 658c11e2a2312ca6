// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>
#include <ridgepoint/ops/step_state.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i) ← x(i), converted to another element type. With a state, x(i) is a gradient that is multiplied by
/// state->loss_scale in the shorter type and unscaled in the longer one: see loss_scaling.
template <scalar To, scalar From>
struct convert_args {
  static constexpr std::string_view name = "convert";
  index_t size = 0;
  const From* x = nullptr;
  To* y = nullptr;
  const step_state* scale_state = nullptr;
};

namespace detail {
/// Returns the factor of a scaled conversion.
template <class To, class From>
[[nodiscard]] float conversion_factor(const convert_args<To, From>& a) noexcept {
  const auto scale = static_cast<float>(a.scale_state->loss_scale);
  return scalar_traits<To>::bytes < scalar_traits<From>::bytes ? scale : 1 / scale;
}
}  // namespace detail

template <scalar To, scalar From>
[[nodiscard]] constexpr auto operands(const convert_args<To, From>& a) noexcept {
  return std::array{operand::input("x", a.x, a.size), operand::output("y", a.y, a.size),
                    operand::input("scale_state", a.scale_state).optional()};
}

/// Receipt of convert(): reads and writes size elements, each in its own type; conversions are not FLOP, a factor is
/// one.
template <scalar To, scalar From>
[[nodiscard]] constexpr work receipt(const convert_args<To, From>& a) noexcept {
  return {.flop = a.scale_state == nullptr ? 0 : static_cast<std::uint64_t>(a.size), .bytes = traffic_of(operands(a))};
}

/// Throws: as convert().
template <scalar To, scalar From>
void check(const convert_args<To, From>& a) {
  check_operands(a);
}

namespace detail {
template <class Pointer>
struct pointee : std::type_identity<refused> {};
template <scalar T>
struct pointee<T*> : std::type_identity<std::remove_const_t<T>> {};
template <scalar T>
struct pointee<const T*> : std::type_identity<T> {};
/// The element type of a vector of any numbers that an op reads, or `refused`.
template <class X>
using element_read = typename pointee<decltype(vector_pointer<const X>())>::type;
}  // namespace detail

/// y ← x, element by element, each in the type of its range: float to bfloat16 or float16 rounds to nearest, ties to
/// even, and keeps NaN (see core/float16.hpp); to float is exact. y does not overlap x.
/// Next: reference/elementwise.hpp is the definition, cpu/elementwise.hpp the fast one, of the same bits.
/// Work: receipt(convert_args).
/// Throws: shape_error if the sizes differ, a pointer is null or y overlaps x.
/// Example:
///   const rp::tensor<float> x({3}, {1, 2, 3});
///   rp::tensor<rp::bfloat16> y({3});
///   rp::convert(on, x, y);
template <class T = deduced, class Backend, class X, class C = std::span<T>, class E = vector_element<C, T>>
work convert(const Backend& on, const X& x, C&& y = {}) {
  using From = detail::element_read<X>;
  using both = std::conditional_t<std::same_as<From, refused>, refused, E>;  // refused: the assertion on x reports it
  static_assert(runs<Backend, convert_args<E, From>, both>,
                "convert: the first argument must be a backend that converts between these types, such as rp::cpu");
  static_assert(!backend<Backend> || !std::same_as<From, refused>,
                "convert: x must be a vector of numbers: a tensor or a contiguous range such as std::vector");
  static_assert(has_output<Backend, E>, "convert: y must be a mutable vector of numbers: a tensor or a range");
  if constexpr (std::same_as<both, refused>) {
    return {};
  } else {
    const std::span<const From> in(x);
    const std::span<E> out = vector_output<E>(y);
    require<shape_error>(in.size() == out.size(), "convert: x has ", in.size(), " elements, y has ", out.size(),
                         "; must be equal");
    return detail::run_checked<E>(
        on, convert_args<E, From>{.size = static_cast<index_t>(out.size()), .x = in.data(), .y = out.data()});
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
