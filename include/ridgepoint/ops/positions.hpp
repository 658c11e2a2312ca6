// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string_view>

#include <ridgepoint/core/dense_arguments.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(n, t, c) ← scale·x(n, t, c) + p(t, c) with p(t, 2i) = sin(t / 10000^(2i / width)), p(t, 2i + 1) its cosine.
template <scalar T>
struct positions_args {
  static constexpr std::string_view name = "positions";
  index_t n = 0, steps = 0, width = 0;
  double scale = 1;
  const T* x = nullptr;  // (n, steps, width)
  T* y = nullptr;        // may be x
};

/// dx ← scale·dy.
template <scalar T>
struct positions_backward_args {
  static constexpr std::string_view name = "positions_backward";
  index_t size = 0;
  double scale = 1;
  const T* dy = nullptr;
  T* dx = nullptr;  // may be dy
};

/// Encodes a step in channel c of `width`: sines of wavelengths from 2π to 10000·2π.
[[nodiscard]] inline double sinusoid(index_t step, index_t c, index_t width) noexcept {
  const double exponent = static_cast<double>(c - c % 2) / static_cast<double>(width);
  const double angle = static_cast<double>(step) * std::pow(1e4, -exponent);
  return c % 2 == 0 ? std::sin(angle) : std::cos(angle);
}

template <scalar T>
[[nodiscard]] constexpr auto operands(const positions_args<T>& a) noexcept {
  return std::array{operand::input("x", a.x, a.n, a.steps, a.width).overwritable(),
                    operand::output("y", a.y, a.n, a.steps, a.width)};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const positions_backward_args<T>& a) noexcept {
  return std::array{operand::input("dy", a.dy, a.size).overwritable(), operand::output("dx", a.dx, a.size)};
}

/// Receipt of positions(): a multiplication and an addition per element; the sinusoids are not counted.
template <scalar T>
[[nodiscard]] constexpr work receipt(const positions_args<T>& a) noexcept {
  return {.flop = 2 * static_cast<std::uint64_t>(a.n * a.steps * a.width), .bytes = traffic_of(operands(a))};
}
/// Receipt of positions_backward(): a multiplication per element.
template <scalar T>
[[nodiscard]] constexpr work receipt(const positions_backward_args<T>& a) noexcept {
  return {.flop = static_cast<std::uint64_t>(a.size), .bytes = traffic_of(operands(a))};
}

namespace detail {
inline void check_position_scale(std::string_view op, double scale) {
  require<value_error>(std::isfinite(scale), op, ": scale is ", scale, "; must be finite");
}
}  // namespace detail

/// Throws: as positions().
template <scalar T>
void check(const positions_args<T>& a) {
  detail::check_position_scale("positions", a.scale);
  check_operands(a);
}
/// Throws: as positions_backward().
template <scalar T>
void check(const positions_backward_args<T>& a) {
  detail::check_position_scale("positions_backward", a.scale);
  check_operands(a);
}

/// y ← scale·x + the sinusoids of the steps, for a batch of sequences (n, steps, width). y may be x.
/// Next: reference/elementwise.hpp is the definition, cpu/elementwise.hpp the fast one.
/// Work: 2 FLOP per element.
/// Throws: shape_error for extents that disagree, a null pointer or overlap; value_error unless the scale is finite.
/// Source: Vaswani et al., Attention Is All You Need, arXiv:1706.03762, §3.5.
/// Example:
///   rp::positions(on, x, y, std::sqrt(512.0));
template <class Backend, class C, class E = tensor_element<C, 3>>
work positions(const Backend& on, const tensor_in<E, 3>& x, C&& y, double scale = 1) {
  static_assert(runs<Backend, positions_args<E>, E>,
                "positions: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "positions: y must be a mutable tensor or tensor_view of rank 3, of float or double");
  const tensor_view<const E, 3>& from = x;
  const auto& [n, steps, width] = from.extents;
  return detail::run_checked<E>(
      on, positions_args<E>{.n = n,
                            .steps = steps,
                            .width = width,
                            .scale = scale,
                            .x = detail::data_of("positions", "x", from, from.extents),
                            .y = detail::data_of("positions", "y", tensor_output<E, 3>(y), from.extents)});
}
/// dx ← scale·dy, the gradient of positions(); dx may be dy.
/// Work: a FLOP per element. Throws: as positions().
/// Example:
///   rp::positions_backward(on, dy, dx, std::sqrt(512.0));
template <class T = deduced, class Backend, class C = std::span<T>, class E = vector_element<C, T>>
work positions_backward(const Backend& on, const vector_in<E>& dy, C&& dx = {}, double scale = 1) {
  static_assert(runs<Backend, positions_backward_args<E>, E>,
                "positions_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "positions_backward: dx must be a mutable vector of float or double: a tensor or a range");
  const std::span<E> out = vector_output<E>(dx);
  require<shape_error>(dy.size() == out.size(), "positions_backward: dy has ", dy.size(), " elements, dx has ",
                       out.size(), "; must be equal");
  return detail::run_checked<E>(
      on, positions_backward_args<E>{
              .size = static_cast<index_t>(out.size()), .scale = scale, .dy = dy.data(), .dx = out.data()});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
