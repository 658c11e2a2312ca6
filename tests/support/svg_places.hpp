// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

/// Coordinates in a drawing of ridgepoint::svg() with one view.
namespace svg_places {

inline std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; at += part.size()) ++n;
  return n;
}

/// Coordinates that are not numbers or are outside the viewBox; "" if all are fine.
inline std::string strays(const std::string& svg) {
  char* next = nullptr;
  const auto number_at = [&](const char* text) { return std::strtod(text, &next); };
  const double x0 = number_at(svg.c_str() + svg.find("viewBox='") + 9), y0 = number_at(next);
  const double width = number_at(next), height = number_at(next);
  std::string out;
  std::size_t found = 0;
  const auto check = [&](std::size_t at, bool is_x) {
    const double v = number_at(svg.c_str() + at), from = is_x ? x0 : y0, size = is_x ? width : height;
    ++found;
    if (!(v >= from && v <= from + size)) out += svg.substr(at - 12, 40) + '\n';
    return static_cast<std::size_t>(next - svg.c_str());
  };
  for (std::size_t at = 0; at < svg.size(); ++at) {
    const std::string_view rest = std::string_view(svg).substr(at);
    if (rest.starts_with(" x='")) check(at + 4, true);
    else if (rest.starts_with(" y='")) check(at + 4, false);
    else if (rest.starts_with("translate(")) check(check(at + 10, true), false);
    else if (rest.starts_with(" d='") && !std::string_view(svg).substr(0, at).ends_with("class='mark'"))
      for (std::size_t i = at + 4; svg[i] != '\'';) {
        const char move = svg[i++];
        if (move != 'V') i = check(i, true);
        if (move != 'H') i = check(i, false);
      }
  }
  return found == 0 ? "no coordinates" : out;
}

}  // namespace svg_places
