// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/roofline/markup.hpp>

/// \file
/// Vega-Lite specifications as SVG, without the Vega libraries: the part of Vega-Lite that this project's charts use.
/// Marks: line, point, text, rule, rect, bar, tick. Scales, with their domains: linear, log, bands, names, two colours.
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
/// Estimates the width of a text.
[[nodiscard]] inline double svg_width(std::string_view words, double font = 12) {
  return 0.6 * font * static_cast<double>(columns(words));
}
/// Cuts a text to a width in pixels.
[[nodiscard]] inline std::string svg_fit(std::string words, double limit, double font = 12) {
  if (svg_width(words, font) <= limit) return words;
  while (!words.empty() && svg_width(words, font) > limit - font) {
    while (words.size() > 1 && (words.back() & 0xC0) == 0x80) words.pop_back();  // the remaining bytes of a character
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
  /// Not finite for a value that is not on the axis.
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
    double tick = std::ceil(low / distance - 1e-9) + 0.0;  // + 0.0: never -0
    for (; !log && tick * distance <= high; ++tick) add(tick * distance);
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

/// A plot: layers of marks over two axes.
class svg_plot {
 public:
  explicit svg_plot(const json& view) : view_(view) {
    const json& layers = svg_member(view, "layer");
    for (const json& layer : layers) layers_.push_back(&layer);
    if (layers.empty()) layers_.push_back(&view);
    x_ = scale_of("x", svg_member(view, "width"));
    y_ = scale_of("y", svg_member(view, "height"));
  }
  [[nodiscard]] svg_drawing drawing() const {
    svg_drawing out{.x0 = -4, .y0 = -8, .x1 = x_.pixels + 16, .y1 = y_.pixels + 4};
    add_axis(out, y_);
    add_axis(out, x_);
    for (const bool words : {false, true})  // labels are drawn last: no mark covers them
      for (const json* layer : layers_)
        if ((type_of(*layer) == "text") == words) out.markup += marks(*layer);
    for (const json* layer : layers_) add_legend(out, *layer);
    if (const std::string title = svg_text(svg_member(view_, "title", "text")); !title.empty()) {
      out.markup += svg_words(title, 0, -12, "");
      out.y0 -= 18, out.x1 = (std::max)(out.x1, svg_width(title));
    }
    return out;
  }

 private:
  [[nodiscard]] const json& channel(const json& layer, std::string_view name) const {
    const json& own = svg_member(layer, "encoding", name);
    return own.is_null() ? svg_member(view_, "encoding", name) : own;
  }
  [[nodiscard]] const json& field(const json& layer, std::string_view name, const json& datum) const {
    return svg_member(datum, svg_text(svg_member(channel(layer, name), "field")));
  }

  /// An axis as described by the first layer that has one.
  [[nodiscard]] svg_scale scale_of(const char* name, const json& size) const {
    json of, seen = json::array();
    for (const json* layer : layers_) {
      if (of.is_null()) of = channel(*layer, name);
      for (const json& datum : svg_member(*layer, "data", "values"))
        if (const json& v = field(*layer, name, datum); !v.is_null()) seen.push_back(v);
    }
    svg_scale s;
    if (!of.is_null()) s.axis = of.contains("axis") ? of["axis"] : json::object();
    s.title = s.axis.contains("title") ? s.axis["title"] : svg_member(of, "title");
    const json& domain = svg_member(of, "scale", "domain");
    s.up = *name == 'y';
    if (svg_member(of, "type") == "quantitative") {
      s.log = svg_member(of, "scale", "type") == "log";
      s.low = domain.at(0), s.high = domain.at(1), s.pixels = size;
      return s;
    }
    if (!of.contains("sort") || !of["sort"].is_null()) std::stable_sort(seen.begin(), seen.end());
    if (svg_member(of, "sort") == "descending") std::reverse(seen.begin(), seen.end());
    for (const json& v : domain.empty() ? seen : domain)
      if (std::find(s.bands.begin(), s.bands.end(), svg_text(v)) == s.bands.end()) s.bands.push_back(svg_text(v));
    s.pixels = svg_number(size, svg_number(svg_member(size, "step"), 20) * static_cast<double>(s.bands.size()));
    return s;
  }

  void add_axis(svg_drawing& out, const svg_scale& s) const {
    if (s.axis.is_null()) return;
    const double turn = svg_number(svg_member(s.axis, "labelAngle"), 0), bottom = y_.pixels;
    const double limit = svg_number(svg_member(s.axis, "labelLimit"), 180), angle = turn * std::numbers::pi / 180;
    std::string grid;
    for (const auto& [at, text] : s.ticks()) {
      if (s.bands.empty())
        grid += s.up ? svg_move("M", 0, at) + concat("H", x_.pixels) : svg_move("M", at, 0) + concat("V", bottom);
      if (svg_member(s.axis, "labels") == false) continue;
      const std::string words = svg_fit(text, limit);
      const double width = svg_width(words), x = s.up ? -6 : exactly(turn, 0) ? at : at + 4;
      const double y = s.up ? at + 4 : bottom + (exactly(turn, 0) ? 16 : 10);
      out.markup +=
          svg_words(words, x, y, s.up || !exactly(turn, 0) ? "end" : "middle", turn, "", words == text ? "" : text);
      out.x0 = (std::min)(out.x0, x - (s.up || !exactly(turn, 0) ? width * std::cos(angle) + 8 : width / 2));
      if (!s.up) out.y1 = (std::max)(out.y1, y - width * std::sin(angle) + 6);
      if (!s.up && exactly(turn, 0)) out.x1 = (std::max)(out.x1, x + width / 2);
    }
    out.markup += svg_element("path", concat(" stroke='currentColor' stroke-opacity='.17' d='", grid, '\''), "");
    const std::string title = svg_fit(svg_text(s.title), s.pixels);
    if (title.empty()) return;
    (s.up ? out.x0 : out.y1) += s.up ? -18 : 18;
    const double x = s.up ? out.x0 + 12 : s.pixels / 2, y = s.up ? s.pixels / 2 : out.y1 - 4;
    out.markup += svg_words(title, x, y, "middle", s.up ? -90 : 0, " font-weight='bold'");
  }
  /// Adds symbols and names below the plot, for a layer that distinguishes names by colour.
  void add_legend(svg_drawing& out, const json& layer) const {
    const json& of = channel(layer, channel(layer, "color").is_null() ? "stroke" : "color");
    const json& names = svg_member(of, "scale", "domain");
    if (names.empty() || !names[0].is_string()) return;
    const std::string field = svg_text(svg_member(of, "field")), own = svg_text(svg_member(of, "title"));
    const std::string title = own.empty() ? field : own;
    double x = svg_width(title) + 20, y = out.y1 + 18;
    out.markup += svg_words(title, 0, y, "", 0, " font-weight='bold'");
    for (const json& name : names) {
      const double width = svg_width(svg_text(name));
      if (x > 0 && x + width + 24 > x_.pixels) x = 0, y += 20;
      out.markup += symbol(layer, json{{field, name}}, x + 6, y - 4, 5, "") + svg_words(svg_text(name), x + 18, y, "");
      x += width + 36;
    }
    out.y1 = y + 8;
  }

  [[nodiscard]] static std::string type_of(const json& layer) {
    const json& mark = svg_member(layer, "mark");
    return svg_text(mark.is_string() ? mark : svg_member(mark, "type"));
  }
  [[nodiscard]] std::string marks(const json& layer) const {
    const std::string type = type_of(layer);
    std::string out = type == "line" ? lines(layer) : "";
    if (type == "line" && svg_member(layer, "mark", "point") != true) return out;
    for (const json& datum : svg_member(layer, "data", "values")) {
      const double x = x_.at(field(layer, "x", datum)), y = y_.at(field(layer, "y", datum));
      if (type == "rect" || type == "bar" || type == "tick" || type == "rule") out += span(layer, datum);
      else if (!x_.holds(x) || !y_.holds(y)) continue;
      else if (type == "text") out += words(layer, datum, x, y);
      else out += symbol(layer, datum, x, y, std::sqrt(number(layer, "size", datum, 30)) / 2, tooltip(layer, datum));
    }
    return out;
  }
  /// Returns a channel's value for a datum, or else the mark's.
  [[nodiscard]] std::string look(const json& layer, std::string_view name, const json& datum) const {
    const json own = svg_channel(channel(layer, name), datum);
    return svg_text(own.is_null() ? svg_member(layer, "mark", name) : own);
  }
  [[nodiscard]] double number(const json& layer, std::string_view name, const json& datum, double otherwise) const {
    const json own = svg_channel(channel(layer, name), datum);
    return svg_number(own.is_null() ? svg_member(layer, "mark", name) : own, otherwise);
  }
  [[nodiscard]] std::string colour(const json& layer, const json& datum) const {
    const std::string own = look(layer, "color", datum);
    return own.empty() ? "currentColor" : own;
  }
  [[nodiscard]] std::string tooltip(const json& layer, const json& datum) const {
    std::string out;
    const json& given = channel(layer, "tooltip");
    for (const json& one : given.is_object() ? json::array({given}) : given)
      if (const json& value = svg_member(datum, svg_text(svg_member(one, "field"))); !value.is_null())
        out += concat(out.empty() ? "" : "\n", svg_text(svg_member(one, "title")), ": ", svg_text(value));
    return out;
  }

  /// Lines through the data; one ends where the next value of `detail` begins.
  [[nodiscard]] std::string lines(const json& layer) const {
    const json& detail = channel(layer, "detail");
    const json* first = nullptr;
    std::string out, path;
    for (const json& datum : svg_member(layer, "data", "values")) {
      const double x = x_.at(field(layer, "x", datum)), y = y_.at(field(layer, "y", datum));
      if (!x_.holds(x) || !y_.holds(y)) continue;
      if (first != nullptr && svg_channel(detail, datum) != svg_channel(detail, *first))
        out += stroke(layer, *std::exchange(first, nullptr), std::exchange(path, ""));
      path += svg_move(first == nullptr ? "M" : "L", x, y);
      if (first == nullptr) first = &datum;
    }
    return first == nullptr ? out : out + stroke(layer, *first, path);
  }
  /// Formats a line with a datum's style.
  [[nodiscard]] std::string stroke(const json& layer, const json& datum, std::string_view path) const {
    std::string dashes;
    const json chosen = svg_channel(channel(layer, "strokeDash"), datum);
    for (const json& dash : chosen.is_null() ? svg_member(layer, "mark", "strokeDash") : chosen)
      dashes += dash.dump() + ' ';
    return svg_element("path",
                       concat(" fill='none' stroke-width='", number(layer, "strokeWidth", datum, 1.5), '\'',
                              svg_attribute("stroke", colour(layer, datum)), svg_attribute("stroke-dasharray", dashes),
                              svg_attribute("d", path)),
                       tooltip(layer, datum));
  }
  [[nodiscard]] std::string words(const json& layer, const json& datum, double x, double y) const {
    const json& mark = svg_member(layer, "mark");
    const std::string align = look(layer, "align", datum), title = tooltip(layer, datum);
    const double font = svg_number(svg_member(mark, "fontSize"), 11),
                 limit = svg_number(svg_member(mark, "limit"), 1e6);
    const std::string text = svg_fit(look(layer, "text", datum), limit, font);
    const double turn = svg_number(svg_member(mark, "angle"), 0), width = svg_width(text, font);
    const double dx = svg_number(svg_member(mark, "dx"), 0), dy = svg_number(svg_member(mark, "dy"), 0) + 0.35 * font;
    const double before = align == "left" ? 0 : align == "right" ? width : width / 2;
    if (exactly(turn, 0))
      x = (std::max)(before - dx, (std::min)(x, x_.pixels + 14 + before - width - dx));  // inside the drawing
    const std::string attributes =
        concat(" font-size='", font, '\'', svg_attribute("font-weight", look(layer, "fontWeight", datum)),
               svg_attribute("fill", look(layer, "color", datum)),
               svg_attribute("pointer-events", title.empty() ? "none" : ""));
    return svg_words(text, x, y,
                     align == "left"    ? ""
                     : align == "right" ? "end"
                                        : "middle",
                     turn, attributes, title, dx, dy);
  }
  /// The symbol of a datum, or of a name in a legend.
  [[nodiscard]] std::string symbol(const json& layer, const json& datum, double x, double y, double half,
                                   std::string_view title) const {
    static constexpr std::pair<std::string_view, std::string_view> shapes[] = {
        {"square", "M-1-1H1V1H-1Z"},
        {"diamond", "M0-1 1 0 0 1-1 0Z"},
        {"triangle-up", "M0-.9 1 .9H-1Z"},
        {"triangle-down", "M0 .9 1-.9H-1Z"},
        {"triangle-right", "M.9 0-.9 1V-1Z"},
        {"triangle-left", "M-.9 0 .9-1V1Z"},
        {"cross", "M-1-.4H-.4V-1H.4V-.4H1V.4H.4V1H-.4V.4H-1Z"}};
    const std::string shape = look(layer, "shape", datum), edge = look(layer, "stroke", datum);
    std::string_view outline = "M-1 0A1 1 0 0 1 1 0A1 1 0 0 1-1 0Z";
    for (const auto& [name, path] : shapes)
      if (name == shape) outline = path;
    const std::string fill = edge.empty() ? colour(layer, datum) : look(layer, "fill", datum);
    return svg_element("path",
                       concat(" class='mark' d='", outline, svg_move("' transform='translate(", x, y), ") scale(", half,
                              ")'", svg_attribute("fill", fill), svg_attribute("stroke", edge),
                              svg_attribute("opacity", look(layer, "opacity", datum)),
                              svg_attribute("vector-effect", edge.empty() ? "" : "non-scaling-stroke"),
                              svg_attribute("stroke-width", edge.empty() ? "" : look(layer, "strokeWidth", datum))),
                       title);
  }
  /// Start and end of a rule, bar, tick or rect along an axis.
  [[nodiscard]] std::pair<double, double> ends(const json& layer, const json& datum, const std::string& name,
                                               const svg_scale& s) const {
    if (channel(layer, name).is_null()) return {0, s.pixels};
    const json& mark = svg_member(layer, "mark");
    const double step = s.step() * svg_number(svg_member(mark, "width", "band"), 1);
    const double wide =
        s.bands.empty() ? svg_number(svg_member(mark, "thickness"), 1) : svg_number(svg_member(mark, "size"), step);
    const double at = s.at(field(layer, name, datum)), half = type_of(layer) == "rule" ? 0 : wide / 2;
    double from = at - half, to = at + half;
    if (!channel(layer, name + '2').is_null())
      std::tie(from, to) = std::minmax({at, s.at(field(layer, name + '2', datum))});
    return {std::clamp(from, 0.0, s.pixels), std::clamp(to, 0.0, s.pixels)};
  }
  /// A rule or a rectangle.
  [[nodiscard]] std::string span(const json& layer, const json& datum) const {
    const auto [left, right] = ends(layer, datum, "x", x_);
    const auto [top, bottom] = ends(layer, datum, "y", y_);
    if (!std::isfinite(left + right + top + bottom)) return "";
    if (type_of(layer) == "rule") return stroke(layer, datum, svg_move("M", left, top) + svg_move("L", right, bottom));
    return svg_element("rect",
                       concat(" x='", svg_pixels(left), "' y='", svg_pixels(top), "' width='", svg_pixels(right - left),
                              "' height='", svg_pixels(bottom - top), '\'', svg_attribute("fill", colour(layer, datum)),
                              svg_attribute("stroke", look(layer, "stroke", datum)),
                              svg_attribute("opacity", look(layer, "opacity", datum))),
                       tooltip(layer, datum));
  }

  const json& view_;
  std::vector<const json*> layers_ = {};
  svg_scale x_, y_;
};

/// Draws a specification; views next to or below each other are aligned by their plots.
[[nodiscard]] inline svg_drawing svg_drawing_of(const json& specification) {
  const bool across = specification.contains("hconcat");
  const json& parts = svg_member(specification, across ? "hconcat" : "vconcat");
  if (parts.empty()) return svg_plot(specification).drawing();
  const double spacing = svg_number(svg_member(specification, "spacing"), 20);
  svg_drawing out;
  for (const json& part : parts) {
    const svg_drawing one = svg_drawing_of(part);
    if (out.markup.empty()) out.add(one, 0, 0);
    else out.add(one, across ? out.x1 + spacing - one.x0 : 0, across ? 0 : out.y1 + spacing - one.y0);
  }
  return out;
}

}  // namespace detail

/// Converts a Vega-Lite chart of this project's pages to an <svg> element: in the colour of the surrounding text, with
/// details at the pointer. Values that cannot be on its axes, such as 0 on a logarithmic one, are left out.
[[nodiscard]] inline std::string svg(const json& specification) {
  const detail::svg_drawing d = detail::svg_drawing_of(specification);
  const double left = std::floor(d.x0), top = std::floor(d.y0);
  const double width = std::ceil(d.x1 - left), height = std::ceil(d.y1 - top);
  const std::string about = escape_markup(detail::svg_text(detail::svg_member(specification, "description")));
  return concat("<svg role='img' aria-label='", about, "' viewBox='", left, ' ', top, ' ', width, ' ', height,
                "' width='", width, "' height='", height,
                "' font-family='system-ui, sans-serif' font-size='12' fill='currentColor'>\n", d.markup, "</svg>");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
