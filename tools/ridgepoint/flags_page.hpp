// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "flags_report.hpp"

namespace tool {

/// The page of a result, as measurement::flags_html() makes it.
std::string flags_page(const flags_result& result);

}  // namespace tool
