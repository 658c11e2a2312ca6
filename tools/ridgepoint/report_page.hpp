// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include <ridgepoint/roofline/strict_json.hpp>

namespace tool {

namespace rp = ridgepoint;

/// The files of a report's pages.
struct report_files {
  std::string html, markdown;

  /// Names report.html and report.md in a directory.
  explicit report_files(const std::filesystem::path& directory);
};

/// The pages of a report, and a table of each study's totals for the terminal.
struct report_pages {
  std::string html, markdown, summary;

  /// Writes the pages; prints the totals and the files' names. `from`: the report's JSON. Throws: as write_file().
  void write(const report_files& to, const std::string& from) const;
};
/// Makes the pages from the document of a report, `file`. Throws: data_error for a document that is no report.
[[nodiscard]] report_pages pages_of(const rp::json& document, const std::string& file);

}  // namespace tool
