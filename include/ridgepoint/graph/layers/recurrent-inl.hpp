// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers/recurrent.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

RIDGEPOINT_DEFINITION std::vector<parameter> recurrent_parameters(const shape& in, const recurrent_geometry& cells,
                                                                  initialiser initial, initialiser recurrent_initial,
                                                                  std::vector<initialiser> bias) {
  const index_t columns = cells.columns(), width = cells.width();
  return {{.name = "wx", .extents = {in[-1], columns}, .initial = initial, .fan = {in[-1], columns}},
          {.name = "wh", .extents = {width, columns}, .initial = recurrent_initial, .fan = {width, columns}},
          {.name = "b", .extents = {columns}, .parts = std::move(bias)}};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
