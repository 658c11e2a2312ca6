// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include <ridgepoint/ops/sequence.hpp>

/// \file
/// Which steps of sequences of unequal lengths count.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// steps × n × 1: where it is 0, that step of that sample is skipped; data null: every step counts. Ids of tokens are
/// such a mask, if 0 stands for padding.
///
/// A recurrent layer leaves the state of a sample, h and c, as it was at a step that is skipped, and y there repeats
/// it, as with Keras' masks: so y is the state behind every step, which the backward pass reads, and that behind the
/// last step is a sample's last one wherever its padding lies. What the backward pass is told of such a y goes on to
/// the state before it, and nothing else learns from that step; x is multiplied by zeros there, and must be finite.
using sequence_mask = sequence_view<const std::int32_t>;

[[nodiscard]] constexpr bool is_skipped(const sequence_mask& mask, index_t t, index_t i) noexcept {
  return mask.data != nullptr && mask(t, i, 0) == 0;
}

/// Where sequences that are too short are padded.
enum class padding_at : std::uint8_t { the_end, the_start };

/// to(t, i) ← 1 at the lengths(i) steps of a sample that count, else 0. Its width is 1; steps may be outermost, as ops
/// have them by default, or samples, as inside a graph.
/// Throws: shape_error unless there is a length for each sample and memory for the mask; value_error for a length that
/// is not 1 to steps. Nothing is then written.
/// Example:
///   rp::tensor<std::int32_t> mask({steps, n});
///   rp::mask_of_lengths(lengths, {mask.data(), steps, n, 1, n, 1});
inline void mask_of_lengths(std::span<const std::int32_t> lengths, const sequence_view<std::int32_t>& to,
                            padding_at padding = padding_at::the_end) {
  constexpr std::string_view name = "mask_of_lengths";
  require<shape_error>(to.steps >= 0 && to.batch == static_cast<index_t>(lengths.size()) && to.width == 1, name, ": ",
                       lengths.size(), " lengths for a mask of ", to, "; must be as many as samples, and the width 1");
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
