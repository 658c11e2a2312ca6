// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <ridgepoint/roofline/strict_json.hpp>

namespace tool {

namespace rp = ridgepoint;

/// The pages of a report, and a table of each study's totals for the terminal.
struct report_pages {
  std::string html, markdown, summary;
};
/// Makes the pages from the document of a report, `file`. Throws: data_error for a document that is no report.
[[nodiscard]] report_pages pages_of(const rp::json& document, const std::string& file);

}  // namespace tool
