// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <ridgepoint/graph/plan.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Neighbouring calls of a plan that may run as one: element-wise ops, including conversions, on the same number of
/// elements, each reading an output of an earlier one. The first may be one of chain_heads. A head may also come after
/// conversions of all the maps that it reads; these then begin the chain and are independent of one another.
struct call_chain {
  std::size_t first = 0, end = 0;     // calls first … end - 1
  std::vector<bool> kept = {};        // whether a call after the chain reads the output of this call
  traffic bytes = {};                 // what remains to be read and written
  std::uint64_t footprint_bytes = 0;  // of the slots accessed
};

/// Returns the chains of a step, in order of execution. No chain crosses the end of the forward pass, after which the
/// losses are read; a call does not join if its output would overlap an element the chain still reads.
[[nodiscard]] std::vector<call_chain> chains_of(const plan& steps);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/chains-inl.hpp>
#endif
