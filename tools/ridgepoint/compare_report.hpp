// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include <ridgepoint/study/comparison.hpp>

namespace tool {

/// What is safe on a terminal of a text from a file: no control characters, and of more than `most` characters the
/// middle left out.
std::string shown(std::string_view text, std::size_t most = 200);

/// The table of the rows, what only one file has, how many rows there are of each verdict, and the geometric mean.
void print_comparison(std::ostream& out, const ridgepoint::study::compared_sets& c);

}  // namespace tool
