// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include <ridgepoint/roofline/strict_json.hpp>

namespace tool {

namespace rp = ridgepoint;

/// Writes report.html and report.md into a directory from the document of a report, `file`, and prints the totals of
/// its studies. Throws: data_error for a document that is no report, or a page that cannot be written.
void write_report_pages(const rp::json& document, const std::string& file, const std::filesystem::path& directory);

}  // namespace tool
