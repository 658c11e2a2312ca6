// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include <ridgepoint/ops/sequence.hpp>

/// \file
/// Masks of the valid steps of sequences of unequal lengths.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// steps × n × 1: a step of a sample is skipped if its value is 0; data null: every step counts. Token ids are such a
/// mask, if 0 stands for padding.
///
/// At a skipped step, a recurrent layer leaves the state of a sample, h and c, unchanged, and y repeats it, as with
/// Keras' masks. So y is the state after every step, which the backward pass reads, and after the last step it is a
/// sample's final state wherever its padding is. The backward pass adds the gradient of such a y to that of the
/// previous state; the step contributes to no other gradient. x is multiplied by zeros there, and must be finite.
using sequence_mask = sequence_view<const std::int32_t>;

[[nodiscard]] constexpr bool is_skipped(const sequence_mask& mask, index_t t, index_t i) noexcept {
  return mask.data != nullptr && mask(t, i, 0) == 0;
}

/// Position of the padding of short sequences.
enum class padding_at : std::uint8_t { the_end, the_start };

/// to(t, i) ← 1 at the lengths(i) valid steps of a sample, else 0. Its width is 1; steps may be outermost, the default
/// of ops, or samples, as inside a graph.
/// Throws: shape_error unless there is a length for each sample and memory for the mask; value_error for a length
/// outside 1 to steps. Nothing is then written.
/// Example:
///   rp::tensor<std::int32_t> mask({steps, n});
///   rp::mask_of_lengths(lengths, {mask.data(), steps, n, 1, n, 1});
inline void mask_of_lengths(std::span<const std::int32_t> lengths, const sequence_view<std::int32_t>& to,
                            padding_at padding = padding_at::the_end) {
  constexpr std::string_view name = "mask_of_lengths";
  require<shape_error>(to.steps >= 0 && to.batch == static_cast<index_t>(lengths.size()) && to.width == 1, name, ": ",
                       lengths.size(), " lengths for a mask of ", to, "; must equal the samples, and the width 1");
  require<shape_error>(to.data != nullptr || to.size() == 0, name, ": the mask is a null pointer; must point to ",
                       to.size(), " elements");
  for (std::size_t i = 0; i < lengths.size(); ++i)
    require<value_error>(lengths[i] >= 1 && lengths[i] <= to.steps, name, ": length ", i, " is ", lengths[i],
                         "; must be 1 to ", to.steps);
  for (index_t i = 0; i < to.batch; ++i) {
    const index_t length = lengths[static_cast<std::size_t>(i)],
                  first = padding == padding_at::the_start ? to.steps - length : 0;
    for (index_t t = 0; t < to.steps; ++t) to(t, i, 0) = t >= first && t < first + length ? 1 : 0;
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
