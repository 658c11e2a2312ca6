// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>

#include <ridgepoint/graph/graph.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

/// Throws: shape_error for a parameter too large for a plan or checkpoint.
inline void check_size(std::string_view layer, const parameter& p) {
  index_t most = (std::numeric_limits<index_t>::max)() / 64;
  for (const index_t extent : p.extents) most /= std::max<index_t>(extent, 1);
  require<shape_error>(most > 0, layer, ": parameter ", p.name, " is ", p.extents, "; must have less than 2^57 values");
}
/// Returns the first node of a shared layer; -1 if there is no such node yet.
/// Throws: shape_error unless its parameters have these extents; value_error if only one of them has a row-list
/// gradient.
[[nodiscard]] inline int home_of(const graph_data& data, const std::shared_ptr<const void>& key,
                                 const std::vector<parameter>& specs) {
  const auto home = std::find_if(data.nodes.begin(), data.nodes.end(), [&](const auto& n) { return n.key == key; });
  if (home == data.nodes.end()) return -1;
  const std::vector<parameter> held = parameters_at(data, *home);
  require<shape_error>(held.size() == specs.size(), home->name, ": has ", held.size(), " parameters, but would have ",
                       specs.size(), " where it is shared; must be equal");
  for (std::size_t p = 0; p < held.size(); ++p) {
    require<value_error>((held[p].looked_up > 0) == (specs[p].looked_up > 0), home->name, ": ", held[p].name,
                         " is shared, but not all layers list the rows of its gradient; must be all or none");
    require<shape_error>(held[p].extents == specs[p].extents, home->name, ": ", held[p].name, " is ", held[p].extents,
                         " and shared, but would be ", specs[p].extents,
                         " here; must be the same wherever it is applied");
  }
  return static_cast<int>(home - data.nodes.begin());
}

}  // namespace detail

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
