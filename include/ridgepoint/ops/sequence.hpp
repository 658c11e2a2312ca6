// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/check_operands.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A non-owning batch of sequences: value j of sample i at step t is data[t·step_stride + i·sample_stride + j].
///
/// Dense TNC memory, steps outermost, is the usual layout; a graph, whose batch is outermost, uses the other one. A
/// negative step_stride means that steps are in reverse order in memory: see reversed().
/// Example:
///   const auto x = rp::sequence_view<const float>::time_major(data, 28, 128, 256);   // 28 steps of 128×256
///   x.step(3)(i, j)
template <class T>
struct sequence_view {
  T* data = nullptr;
  index_t steps = 0, batch = 0, width = 0;
  index_t step_stride = 0, sample_stride = 0;

  [[nodiscard]] static constexpr sequence_view time_major(T* data, index_t steps, index_t batch,
                                                          index_t width) noexcept {
    return {data, steps, batch, width, batch * width, width};
  }
  [[nodiscard]] static constexpr sequence_view sample_major(T* data, index_t steps, index_t batch,
                                                            index_t width) noexcept {
    return {data, steps, batch, width, width, steps * width};
  }
  /// Returns a view of this memory from the last step to the first. Requires: data, unless it is empty.
  /// Example:
  ///   rp::run(on, rp::rnn_args<float>{.operands = {.x = x.reversed(), …, .y = y.reversed()}});   // from the end
  [[nodiscard]] constexpr sequence_view reversed() const noexcept {
    const bool some = data != nullptr && steps > 0;
    return {some ? data + (steps - 1) * step_stride : data, steps, batch, width, -step_stride, sample_stride};
  }
  /// Returns step t as a matrix (batch, width).
  [[nodiscard]] constexpr matrix_view<T> step(index_t t) const noexcept {
    return {data + t * step_stride, batch, width, sample_stride};
  }
  [[nodiscard]] constexpr T& operator()(index_t t, index_t i, index_t j) const noexcept {
    return data[t * step_stride + i * sample_stride + j];
  }
  /// Returns the number of values.
  [[nodiscard]] constexpr index_t size() const noexcept { return steps * batch * width; }
  constexpr operator sequence_view<const T>() const noexcept requires(!std::is_const_v<T>) {
    return {data, steps, batch, width, step_stride, sample_stride};
  }
};

/// Formats as "28x128x256 (steps x batch x width)".
template <class T>
[[nodiscard]] std::string to_string(const sequence_view<T>& v) {
  return concat(v.steps, 'x', v.batch, 'x', v.width, " (steps x batch x width)");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
