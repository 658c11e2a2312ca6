// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>

#include <ridgepoint/roofline/text_table.hpp>
#include <ridgepoint/study/comparison.hpp>

#include "measurement/shown.hpp"

namespace tool {

using measurement::ratio_text;
using measurement::shown;

/// What a table says of a row: name, A, B, speed-up, its interval, whether that is wide, verdict.
ridgepoint::text_table::row comparison_cells(const ridgepoint::study::compared_row& row);

/// The table of the rows, what only one file has, how many rows there are of each verdict, and the geometric mean.
void print_comparison(std::ostream& out, const ridgepoint::study::compared_sets& c);

}  // namespace tool
