// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <ridgepoint/core/printable.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Escapes text for HTML, SVG and their attributes: printable(), but keeps line ends and tabs.
[[nodiscard]] inline std::string escape_markup(std::string_view text) {
  std::string safe;
  for (const char c : printable(text, "\n\t")) {
    switch (c) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
