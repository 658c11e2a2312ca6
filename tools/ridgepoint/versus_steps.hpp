// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <vector>

#include "versus_report.hpp"

namespace tool {

/// Training steps that were compared: per row a table with everybody's least and median time of a step, what ours is
/// of it, and the losses of the first steps; our ratio to the best of each framework; and who gave up, and why.
void print_versus_steps(std::ostream& out, const versus_setup& setup, const std::vector<versus_row>& rows);

}  // namespace tool
