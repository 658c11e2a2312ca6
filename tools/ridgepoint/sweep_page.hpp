// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sweep_grid.hpp"
#include "sweep_rows.hpp"

namespace tool {

/// Returns a page of a sweep's rows: each machine's highest utilisation over batch and width, its utilisation against
/// the share of the step that waits for the feed of --feed, and how much faster it is than the first machine.
[[nodiscard]] std::string rows_page(const sweep_grid& grid, const std::vector<recorded_row>& rows,
                                    const std::vector<std::string>& machines);

}  // namespace tool
