// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>
#include <string_view>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>
#include <ridgepoint/ops/step_state.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i) ← kept(i) ? x(i)·scale : 0. The backward pass is the same op with x = dy, y = dx.
///
/// With several steps, x and y are sequences (samples, steps, width) and all steps of a sample share one mask.
template <scalar T>
struct dropout_args {
  static constexpr std::string_view name = "dropout";
  index_t size = 0;
  const T* x = nullptr;
  T* y = nullptr;                     // may be x
  double rate = 0.5;                  // share of elements dropped, 0 ≤ rate < 1
  std::uint64_t seed = 0;             // key of the random stream
  std::uint32_t stream = 0;           // distinguishes the dropout layers of a network
  const step_state* state = nullptr;  // step: a new mask every step
  index_t steps = 1;                  // consecutive rows that share one mask,
  index_t width = 0;                  // each with `width` elements; any width for one step

  /// Returns the element of dropout_mask for element i. Throws: value_error for several steps if steps or width < 1.
  [[nodiscard]] constexpr index_t masked_by(index_t i) const {
    if (steps == 1) return i;
    const index_t row = checked_divisor("dropout: width", width), rows = checked_divisor("dropout: steps", steps);
    return i / (rows * row) * row + i % row;
  }
};

/// The elements kept by dropout: the same on every backend, for any number of threads.
///
/// Element e takes 16 random bits. Blocks of 128 elements use 16 consecutive Philox counters
/// {c, c >> 32, step, stream} with c = 16·(e / 128) + e mod 16; of its four words it takes word (e mod 128) / 32, the
/// low half if e mod 32 < 16, else the high one. So 16 lanes running 16 counters produce eight registers of consecutive
/// elements. An element is dropped iff its bits are below round(rate·2^16), at most 2^16 − 1.
struct dropout_mask {
  std::uint64_t seed = 0;
  std::uint32_t step = 0, stream = 0, threshold = 0;

  static constexpr index_t block = 128;  // elements per 16 counters
  constexpr dropout_mask(double rate, std::uint64_t seed_, std::uint64_t step_, std::uint32_t stream_) noexcept
      : seed(seed_),
        step(static_cast<std::uint32_t>(step_)),
        stream(stream_),
        threshold(rate * 65536 + 0.5 < 65535 ? static_cast<std::uint32_t>(rate * 65536 + 0.5) : 65535U) {}

  /// Returns the factor of a kept element: one over the share of kept elements.
  [[nodiscard]] constexpr double scale() const noexcept { return 65536.0 / (65536 - threshold); }
  /// Returns the 16 bits of element e.
  [[nodiscard]] constexpr std::uint32_t bits(index_t e) const noexcept {
    const auto element = static_cast<std::uint64_t>(e);
    const std::uint64_t c = element / 128 * 16 + element % 16;
    const auto words =
        philox4x32({static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(c >> 32), step, stream}, seed);
    const std::uint32_t word = words[element % 128 / 32];
    return element % 32 < 16 ? word & 0xFFFFU : word >> 16;
  }
  [[nodiscard]] constexpr bool keeps(index_t e) const noexcept { return bits(e) >= threshold; }
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const dropout_args<T>& a) noexcept {
  return std::array{operand::input("x", a.x, a.size).overwritable(), operand::input("state", a.state),
                    operand::output("y", a.y, a.size)};
}

/// Receipt of dropout(): one multiplication per element, size elements read and written. Random bits are not FLOP.
template <scalar T>
[[nodiscard]] constexpr work receipt(const dropout_args<T>& a) noexcept {
  return {.flop = static_cast<std::uint64_t>(a.size), .bytes = traffic_of(operands(a))};
}

/// Throws: as dropout().
template <scalar T>
void check(const dropout_args<T>& a) {
  require<value_error>(a.rate >= 0 && a.rate < 1, "dropout: rate is ", a.rate, "; must be >= 0 and < 1");
  const auto whole = [&] { return a.width > 0 && a.size % checked_mul(a.steps, a.width) == 0; };
  require<shape_error>(a.steps == 1 || (a.steps > 1 && whole()), "dropout: ", a.size, " elements in ", a.steps,
                       " steps of ", a.width, "; must be whole samples, of at least one step and element");
  check_operands(a);
}

/// Drops each element with probability `rate` and scales the others by 1/(1 − rate), so that the mean stays; a dropped
/// element is 0 for any x. y may be x. The mask is a function of (element, state->step, stream, seed) alone: see
/// dropout_mask. rate = 0 copies. With `steps` and `width`, for sequences (samples, steps, width), every step uses one
/// mask (samples, width), as the dropout of Keras' recurrent layers, and SpatialDropout1D.
/// Next: reference/elementwise.hpp is the definition, cpu/elementwise.hpp the fast one.
/// Work: receipt(dropout_args).
/// Throws: shape_error if sizes differ or are not complete samples, a pointer is null or y overlaps x in part;
/// value_error unless 0 <= rate < 1.
/// Example:
///   rp::dropout(on, x, y, {.rate = 0.45F, .seed = 42, .stream = layer, .state = state});
template <class T = deduced, class Backend, class C = std::span<T>, class E = vector_element<C, T>>
work dropout(const Backend& on, const vector_in<E>& x, C&& y, std::type_identity_t<dropout_args<E>> options) {
  static_assert(runs<Backend, dropout_args<E>, E>,
                "dropout: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>, "dropout: y must be a mutable vector of float or double: a tensor or a range");
  const std::span<E> out = vector_output<E>(y);
  require<shape_error>(x.size() == out.size(), "dropout: x has ", x.size(), " elements, y has ", out.size(),
                       "; must be equal");
  options.size = static_cast<index_t>(x.size());
  options.x = x.data();
  options.y = out.data();
  return detail::run_checked<E>(on, options);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
