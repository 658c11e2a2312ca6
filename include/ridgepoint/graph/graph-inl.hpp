// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/graph.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

RIDGEPOINT_DEFINITION node apply(any_layer what, std::span<const node> inputs, std::shared_ptr<const void> key) {
  require<value_error>(!inputs.empty(), what.name(), ": has no input; must have at least 1");
  std::vector<shape> shapes;
  detail::graph_node added{.name = {}, .layer = what, .inputs = {}, .output = {}};
  for (const node& in : inputs) {
    shapes.push_back(in.extents());
    require<value_error>(in.owner_ == inputs[0].owner_, what.name(), ": inputs ", inputs[0].name(), " of graph \"",
                         inputs[0].owner_->name, "\" and ", in.name(), " of graph \"", in.owner_->name,
                         "\"; must belong to one graph");
    detail::check_type(what.name(), in.at(), what.input_type(added.inputs.size()));
    added.inputs.push_back(in.index_);
  }
  added.output = what.output(shapes);
  const std::vector<parameter> specs = what.parameters(shapes);
  for (const parameter& p : specs) detail::check_size(what.name(), p);
  detail::graph_data& data = *inputs[0].owner_;
  if (key != nullptr) added.home = detail::home_of(data, key, specs);
  added.key = std::move(key);
  added.name = detail::next_name(data, what.name());
  data.nodes.push_back(std::move(added));
  return node(inputs[0].owner_, static_cast<int>(data.nodes.size()) - 1);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
