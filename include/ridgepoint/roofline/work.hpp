// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include <ridgepoint/core/element.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Part of a training step that a row of a profile belongs to.
enum class pass { forward, backward_data, backward_weights, update, feed };

[[nodiscard]] constexpr std::string_view to_string(pass p) noexcept {
  constexpr std::string_view names[] = {"forward", "backward-data", "backward-weights", "update", "feed"};
  return names[static_cast<int>(p)];
}

/// Bytes that an op must move at least once, by role; reuse inside the op is not counted. Equality compares the counts.
struct traffic {
  std::uint64_t inputs = 0, weights = 0, outputs = 0;
  element type = element::other;  // type of the op's numbers, selects compute ceilings; other: unknown
  [[nodiscard]] constexpr std::uint64_t total() const noexcept { return inputs + weights + outputs; }
  /// A sum has the first known type.
  constexpr traffic& operator+=(const traffic& other) noexcept {
    inputs += other.inputs;
    weights += other.weights;
    outputs += other.outputs;
    if (!has_ceilings(type)) type = other.type;
    return *this;
  }
  friend constexpr bool operator==(const traffic& a, const traffic& b) noexcept {
    return a.inputs == b.inputs && a.weights == b.weights && a.outputs == b.outputs;
  }
};

/// Cost of one execution of an op: the receipt that every op returns. It counts the op's definition, on which it is
/// proven, not a kernel's extra work: see docs/notation.md.
///
/// 1 MAC = 2 FLOP. Additions, subtractions, multiplications and comparisons count one each; exp, log, tanh, division
/// and square root are `special` and count in no other field. `matrix_flop` is the part of `flop` done by matrix
/// products and convolutions, the only part that published network totals count.
struct work {
  std::uint64_t flop = 0;
  std::uint64_t matrix_flop = 0;
  std::uint64_t special = 0;
  traffic bytes = {};

  /// Arithmetic intensity relative to compulsory traffic; 0 if no bytes move.
  [[nodiscard]] constexpr double flop_per_byte() const noexcept {
    return bytes.total() == 0 ? 0.0 : static_cast<double>(flop) / static_cast<double>(bytes.total());
  }
  constexpr work& operator+=(const work& other) noexcept {
    flop += other.flop;
    matrix_flop += other.matrix_flop;
    special += other.special;
    bytes += other.bytes;
    return *this;
  }
  friend constexpr work operator+(work a, const work& b) noexcept { return a += b; }
  friend constexpr work operator*(const work& w, std::uint64_t times) noexcept {
    return {.flop = w.flop * times,
            .matrix_flop = w.matrix_flop * times,
            .special = w.special * times,
            .bytes = {w.bytes.inputs * times, w.bytes.weights * times, w.bytes.outputs * times, w.bytes.type}};
  }
  friend constexpr bool operator==(const work&, const work&) = default;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
