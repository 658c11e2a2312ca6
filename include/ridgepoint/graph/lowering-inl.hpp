// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/lowering.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

RIDGEPOINT_DEFINITION conv_algorithm lowering::convolution(conv_algorithm own, const conv2d_geometry& g) const {
  if (own != conv_algorithm::automatic) return own;
  const conv_algorithm requested = context_->convolution;
  const bool can = !is_winograd(requested) || (winograd_takes(requested, g) && context_->stored == element::f32);
  return can ? requested : conv_algorithm::automatic;
}
RIDGEPOINT_DEFINITION slot lowering::scratch(index_t count) { return scratch(count, context_->stored); }
RIDGEPOINT_DEFINITION slot lowering::scratch(index_t count, element type) {
  return context_->builder->reserve(memory_region::arena, type, count, node_->name + ".scratch");
}
RIDGEPOINT_DEFINITION slot lowering::saved(std::size_t i, index_t count) { return saved(i, count, context_->stored); }
RIDGEPOINT_DEFINITION slot lowering::saved(std::size_t i, index_t count, element type) {
  if (node_->saved.size() <= i) node_->saved.resize(i + 1);
  slot& kept = node_->saved[i];
  if (!kept.exists()) kept = context_->builder->reserve(memory_region::arena, type, count, node_->name + ".saved");
  const index_t bytes = checked_mul(count, static_cast<index_t>(bytes_of(type)));
  const std::size_t before = context_->builder->bytes(kept);
  require<shape_error>(before == static_cast<std::size_t>(bytes), node_->name, ": saved memory ", i, " has ", before,
                       " bytes; must have ", bytes);
  return kept;
}
RIDGEPOINT_DEFINITION slot lowering::carried(std::size_t i, index_t count) {
  if (node_->carried.size() <= i) node_->carried.resize(i + 1);
  slot& kept = node_->carried[i];
  if (!kept.exists()) {
    kept = context_->builder->reserve(memory_region::batch, context_->stored, count, node_->name + ".carried");
    context_->carried.push_back(kept);
  }
  return kept;
}
RIDGEPOINT_DEFINITION slot lowering::reserve_once(slot& s, index_t count, std::string_view suffix) {
  if (!s.exists())
    s = context_->builder->reserve(memory_region::arena, context_->stored, count, node_->name + std::string(suffix));
  return s;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
