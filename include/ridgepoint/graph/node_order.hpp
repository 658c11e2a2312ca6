// SPDX-License-Identifier: MIT
#pragma once

#include <utility>
#include <vector>

#include <ridgepoint/graph/graph.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Some nodes of a graph, inputs before what reads them, and of every node how often these read it; an output is read
/// once more for each time that it is asked for.
struct node_order {
  std::vector<int> sorted, uses;
};

/// Of the outputs and all that they depend on.
[[nodiscard]] node_order order_of(const graph& net, const std::vector<int>& outputs);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/node_order-inl.hpp>
#endif
