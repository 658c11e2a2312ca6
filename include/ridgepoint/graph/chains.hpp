// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <ridgepoint/graph/plan.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Neighbouring calls of a plan that may run as one: element-wise ops on as many elements, conversions among them, each
/// of which reads what an earlier one of them writes. The first may be one of chain_heads; so may the call behind the
/// conversions of all maps that it reads, which then begin the chain and read nothing of one another.
struct call_chain {
  std::size_t first = 0, end = 0;     // calls first … end - 1
  std::vector<bool> kept = {};        // whether anybody behind the chain reads what the call writes
  traffic bytes = {};                 // what is left to read and write
  std::uint64_t footprint_bytes = 0;  // of the slots that are touched
};

/// The chains of a step, in order of execution. None goes across the end of the forward pass, after which the losses
/// are read; nor does a call join whose output would lie on what another element of the chain still reads.
[[nodiscard]] std::vector<call_chain> chains_of(const plan& steps);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/chains-inl.hpp>
#endif
