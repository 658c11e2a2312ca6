// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include <ridgepoint/roofline/text_table.hpp>
#include <ridgepoint/study/comparison.hpp>

namespace tool {

/// What is safe on a terminal of a text from a file: no control characters, and of more than `most` characters the
/// middle left out.
std::string shown(std::string_view text, std::size_t most = 200);

/// Three decimals, as many as a gate of 1 % needs: "0.952", "1.020", "34.30".
std::string ratio_text(double value);

/// What a table says of a row: name, A, B, speed-up, its interval, whether that is wide, verdict.
ridgepoint::text_table::row comparison_cells(const ridgepoint::study::compared_row& row);

/// The table of the rows, what only one file has, how many rows there are of each verdict, and the geometric mean.
void print_comparison(std::ostream& out, const ridgepoint::study::compared_sets& c);

}  // namespace tool
