// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/roofline/markup.hpp>

/// \file
/// Parts of svg(): elements, axes as pixels, and channels of marks.
namespace ridgepoint::inline RIDGEPOINT_ABI {

using nlohmann::json;

namespace detail {

/// A member of an object, or of its members; null if missing.
template <class... Names>
[[nodiscard]] const json& svg_member(const json& object, std::string_view name, Names... rest) {
  static const json none;
  const auto found = object.find(name);
  if constexpr (sizeof...(rest) == 0) return found == object.end() ? none : *found;
  else return found == object.end() ? none : svg_member(*found, rest...);
}
[[nodiscard]] inline double svg_number(const json& value, double otherwise) {
  return value.is_number() ? value.get<double>() : otherwise;
}
[[nodiscard]] inline std::string svg_text(const json& value) {
  if (value.is_number_float()) return figures(value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}
/// A coordinate, exact to a tenth of a pixel.
[[nodiscard]] inline std::string svg_pixels(double value) { return concat(std::round(10 * value) / 10); }
[[nodiscard]] inline std::string svg_move(std::string_view how, double x, double y) {
  return concat(how, svg_pixels(x), ' ', svg_pixels(y));
}
/// Estimated width of words.
[[nodiscard]] inline double svg_width(std::string_view words, double font = 12) {
  return 0.6 * font * static_cast<double>(columns(words));
}
/// Words cut to fit into so many pixels.
[[nodiscard]] inline std::string svg_fit(std::string words, double limit, double font = 12) {
  if (svg_width(words, font) <= limit) return words;
  while (!words.empty() && svg_width(words, font) > limit - font) {
    while (words.size() > 1 && (words.back() & 0xC0) == 0x80) words.pop_back();  // the rest of a character
    words.pop_back();
  }
  return words + "…";
}
[[nodiscard]] inline std::string svg_attribute(std::string_view name, std::string_view value) {
  return value.empty() ? std::string() : concat(' ', name, "='", escape_markup(value), '\'');
}
/// An element; `title` is shown at the pointer.
[[nodiscard]] inline std::string svg_element(std::string_view name, std::string_view attributes, std::string_view title,
                                             std::string_view words = "") {
  return concat('<', name, attributes, '>', title.empty() ? "" : concat("<title>", escape_markup(title), "</title>"),
                escape_markup(words), "</", name, ">\n");
}
/// Text next to a point, rotated around it.
[[nodiscard]] inline std::string svg_words(std::string_view words, double x, double y, std::string_view anchor,
                                           double turn = 0, std::string_view attributes = "",
                                           std::string_view title = "", double dx = 0, double dy = 0) {
  const std::string turned =
      exactly(turn, 0) ? "" : concat(svg_move(concat(" transform='rotate(", turn, ' '), x, y), ")'");
  return svg_element("text",
                     concat(" x='", svg_pixels(x + dx), "' y='", svg_pixels(y + dy), '\'',
                            svg_attribute("text-anchor", anchor), attributes, turned),
                     title, words);
}

/// One axis of a view: its values as pixels.
struct svg_scale {
  json axis = {}, title = {};
  std::vector<std::string> bands = {};  // names; empty for numbers
  double low = 0, high = 1, pixels = 0;
  bool log = false, up = false;

  [[nodiscard]] double step() const { return pixels / static_cast<double>(std::max<std::size_t>(1, bands.size())); }
  [[nodiscard]] double at(double value) const {
    const double place = log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return pixels * (up ? 1 - place : place);
  }
  /// Not finite for a value that has no place.
  [[nodiscard]] double at(const json& value) const {
    if (bands.empty()) return at(svg_number(value, std::nan("")));
    const auto found = std::find(bands.begin(), bands.end(), svg_text(value));
    return found == bands.end() ? std::nan("") : (static_cast<double>(found - bands.begin()) + 0.5) * step();
  }
  [[nodiscard]] bool holds(double place) const { return std::abs(place - pixels / 2) <= pixels / 2 + 0.5; }
  [[nodiscard]] std::vector<std::pair<double, std::string>> ticks() const {
    std::vector<std::pair<double, std::string>> all;
    const auto add = [&](double value) {
      if (holds(at(value)))
        all.emplace_back(at(value), svg_member(axis, "format") == "~s" ? quantity(value, "", 1) : concat(value));
    };
    for (const std::string& band : bands) all.emplace_back((static_cast<double>(all.size()) + 0.5) * step(), band);
    const json& values = svg_member(axis, "values");
    for (const json& value : values) add(svg_number(value, std::nan("")));
    if (!bands.empty() || !values.empty() || !(high > low)) return all;
    const double first = std::round(std::log10(low)), last = std::round(std::log10(high));
    const double least = std::ceil((up ? 28 : 48) * (last - first) / pixels);
    for (double decade = first; log && decade <= last; decade += (std::max)(1.0, least)) add(std::pow(10, decade));
    const double rough = (high - low) * 50 / pixels, power = std::pow(10, std::floor(std::log10(rough)));
    const double distance = power * (rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10);
    for (int i = 0; !log && i * distance <= high - low; ++i) add(low + i * distance);
    return all;
  }
};

/// A drawing and the box around it; the origin is the upper left corner of its first plot.
struct svg_drawing {
  std::string markup = {};
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;

  void add(const svg_drawing& other, double dx, double dy) {
    markup += concat(svg_move("<g transform='translate(", dx, dy), ")'>\n", other.markup, "</g>\n");
    x0 = (std::min)(x0, other.x0 + dx), x1 = (std::max)(x1, other.x1 + dx);
    y0 = (std::min)(y0, other.y0 + dy), y1 = (std::max)(y1, other.y1 + dy);
  }
};

/// "datum.a" or "datum.a > 1".
[[nodiscard]] inline bool svg_holds(const std::string& test, const json& datum) {
  const std::size_t end = (std::min)(test.size(), test.find(' '));
  const json& value = svg_member(datum, std::string_view(test).substr(6, end - 6));
  return end == test.size() ? value == true : svg_number(value, std::nan("")) > std::stod(test.substr(end + 3));
}
/// A colour between two, "#000000" and "#ffffff".
[[nodiscard]] inline std::string svg_shade(double part, const std::string& from, const std::string& to) {
  std::string colour = "#";
  for (const std::size_t i : {1U, 3U, 5U}) {
    const int low = std::stoi(from.substr(i, 2), nullptr, 16), high = std::stoi(to.substr(i, 2), nullptr, 16);
    const auto mixed = static_cast<int>(std::lround(low + std::clamp(part, 0.0, 1.0) * (high - low)));
    for (const int digit : {mixed / 16, mixed % 16}) colour += "0123456789abcdef"[digit];
  }
  return colour;
}
/// Returns a channel's value for a datum: by a condition, a constant, a field, or a field through a scale.
[[nodiscard]] inline json svg_channel(const json& channel, const json& datum) {
  const json& given = svg_member(channel, "condition");
  for (const json& one : given.is_object() ? json::array({given}) : given)
    if (svg_holds(svg_text(svg_member(one, "test")), datum)) return svg_member(one, "value");
  if (const json& constant = svg_member(channel, "value"); !constant.is_null()) return constant;
  const json& value = svg_member(datum, svg_text(svg_member(channel, "field")));
  const json &domain = svg_member(channel, "scale", "domain"), &range = svg_member(channel, "scale", "range");
  if (domain.empty()) return value;
  if (domain[0].is_number()) return svg_shade(svg_number(value, 0) / svg_number(domain[1], 1), range[0], range[1]);
  const auto found = std::find(domain.begin(), domain.end(), value);
  return found == domain.end() ? json() : range[static_cast<std::size_t>(found - domain.begin())];
}

}  // namespace detail

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
