// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "flags_report.hpp"

namespace tool {

/// Returns the HTML page of a result, from measurement::flags_html().
std::string flags_page(const flags_result& result);

}  // namespace tool
