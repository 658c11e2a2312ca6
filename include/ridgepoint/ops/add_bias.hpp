// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i, j) ← act(x(i, j) + bias(j)).
template <scalar T>
struct add_bias_args {
  static constexpr std::string_view name = "add_bias";
  index_t rows = 0, channels = 0;     // rows: samples × pixels
  const T* x = nullptr;               // (rows, channels)
  const T* bias = nullptr;            // channels
  T* y = nullptr;                     // (rows, channels); may be x
  activation act = activation::none;  // a fusable one
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const add_bias_args<T>& a) noexcept {
  return std::array{operand::input("x", a.x, a.rows, a.channels).overwritable(),
                    operand::weight("bias", a.bias, a.channels).counting_if(a.rows > 0),
                    operand::output("y", a.y, a.rows, a.channels)};
}

/// Receipt of add_bias(): an addition per element, and the activation's; reads x and bias, writes y.
template <scalar T>
[[nodiscard]] constexpr work receipt(const add_bias_args<T>& a) noexcept {
  const auto all = static_cast<std::uint64_t>(a.rows) * static_cast<std::uint64_t>(a.channels);
  return work{.flop = all, .bytes = traffic_of(operands(a))} + activation_arithmetic(a.act, all);
}

/// Throws: as add_bias().
template <scalar T>
void check(const add_bias_args<T>& a) {
  require<shape_error>(a.rows >= 0 && a.channels > 0, "add_bias: rows is ", a.rows, ", channels is ", a.channels,
                       "; must be >= 0 and > 0");
  check_fusable("add_bias", a.act);
  check_operands(a);
}

/// y ← act(x + bias), channel by channel: follows a convolution without either, such as a transposed one.
/// Next: reference/elementwise.hpp is the definition, cpu/elementwise.hpp the fast one.
/// Work: receipt(args).
/// Throws: shape_error for negative rows, no channels, a null pointer or a y that overlaps in part; value_error for an
/// activation that is not fusable.
/// Example:
///   rp::add_bias(on, rp::add_bias_args<float>{.rows = n * h * w, .channels = c, .x = x, .bias = b, .y = x});
template <scalar T, class Backend>
work add_bias(const Backend& on, const add_bias_args<T>& args) {
  static_assert(runs<Backend, add_bias_args<T>>,
                "add_bias: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
