// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>

#include <ridgepoint/roofline/text_table.hpp>
#include <ridgepoint/study/comparison.hpp>

#include "measurement/shown.hpp"

namespace tool {

using measurement::ratio_text;
using measurement::shown;

/// Returns a row's cells: name, A, B, speed-up, its interval, "wide", verdict.
ridgepoint::text_table::row comparison_cells(const ridgepoint::study::compared_row& row);

/// Prints the table of the rows, the rows only one file has, the number of rows per verdict, and the geometric mean.
void print_comparison(std::ostream& out, const ridgepoint::study::compared_sets& c);

}  // namespace tool
