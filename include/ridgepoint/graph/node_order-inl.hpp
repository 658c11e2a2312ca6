// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/node_order.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

RIDGEPOINT_DEFINITION node_order order_of(const graph& net, const std::vector<int>& outputs) {
  node_order made{.sorted = {}, .uses = std::vector<int>(net.nodes().size())};
  std::vector<bool> seen(net.nodes().size());
  std::vector<std::pair<int, std::size_t>> open;  // a node, and how many inputs are done
  const auto use = [&](int v) {
    const auto at = static_cast<std::size_t>(v);
    ++made.uses[at];
    if (!seen[at]) open.emplace_back(v, 0);
    seen[at] = true;
  };
  for (const int output : outputs) {
    use(output);
    while (!open.empty()) {
      auto& [v, done] = open.back();
      const std::vector<int>& inputs = net.nodes()[static_cast<std::size_t>(v)].inputs;
      if (done < inputs.size()) {
        use(inputs[done++]);
      } else {
        made.sorted.push_back(v);
        open.pop_back();
      }
    }
  }
  return made;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
