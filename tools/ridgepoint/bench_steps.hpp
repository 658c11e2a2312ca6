// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <vector>

#include "bench_report.hpp"

namespace tool {

/// Prints compared training steps: per row a table with each one's minimum and median step time, our share of it, and
/// the losses of the first steps; our ratio to the best of each framework; and who failed, and why.
void print_bench_steps(std::ostream& out, const bench_setup& setup, const std::vector<bench_row>& rows);

}  // namespace tool
