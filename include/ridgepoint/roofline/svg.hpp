// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/roofline/chart.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Text that is safe inside HTML, SVG and their attributes.
[[nodiscard]] inline std::string escape_markup(std::string_view text) {
  std::string safe;
  for (const char c : text) {
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
        safe += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return safe;
}

/// Colour of a pass, from the palette of Okabe and Ito; the shape says the same again.
[[nodiscard]] constexpr std::string_view colour_of(pass p) noexcept {
  constexpr std::string_view colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"};
  return colours[static_cast<int>(p)];
}

namespace detail {

/// Circle, square, diamond, triangle or cross of the area of a circle with this radius.
inline std::string svg_marker(pass p, double x, double y, double r) {
  const double s = 0.886 * r, d = 1.253 * r, t = 1.555 * r, arm = 1.04 * r, half = arm / 3;
  switch (p) {
    case pass::forward:
      return concat("<circle cx='", x, "' cy='", y, "' r='", r, "'");
    case pass::backward_data:
      return concat("<path d='M", x - s, ' ', y - s, 'h', 2 * s, 'v', 2 * s, 'h', -2 * s, "Z'");
    case pass::backward_weights:
      return concat("<path d='M", x - d, ' ', y, 'l', d, ' ', -d, 'l', d, ' ', d, 'l', -d, ' ', d, "Z'");
    case pass::update:
      return concat("<path d='M", x, ' ', y - t * 0.667, 'l', t * 0.866, ' ', t * 1.167, 'h', -t * 1.732, "Z'");
    case pass::feed:
      break;
  }
  const double out = arm - half, across = 2 * half;
  return concat("<path d='M", x - half, ' ', y - arm, 'h', across, 'v', out, 'h', out, 'v', across, 'h', -out, 'v', out,
                'h', -across, 'v', -out, 'h', -out, 'v', -across, 'h', out, "Z'");
}

inline std::string svg_axes(const chart& c) {
  std::string out;
  const auto text = [&](double x, double y, std::string_view anchor, const std::string& words) {
    out += concat("<text x='", x, "' y='", y, "' text-anchor='", anchor, "'>", escape_markup(words), "</text>\n");
  };
  for (int decade = c.axes.x.first; decade <= c.axes.x.last; ++decade) {
    const double value = std::pow(10, decade), x = c.pixel_x(value);
    out += concat("<path class='grid' d='M", x, " 0V", chart::height, "'/>\n");
    text(x, chart::height + 18, "middle", figures(value, 1));
  }
  for (int decade = c.axes.y.first; decade <= c.axes.y.last; ++decade) {
    const double value = std::pow(10, decade), y = c.pixel_y(value);
    out += concat("<path class='grid' d='M0 ", y, 'H', chart::width, "'/>\n");
    text(-8, y + 4, "end", quantity(value, "", 1));
  }
  text(chart::width / 2, chart::height + 40, "middle", "arithmetic intensity, FLOP/B (compulsory traffic)");
  return out + concat("<text transform='translate(-58 ", chart::height / 2,
                      ") rotate(-90)' text-anchor='middle'>FLOP/s</text>\n");
}

inline std::string svg_roofs(const chart& c) {
  std::string out;
  for (const chart_roof& r : c.roofs) {
    out += concat("<path class='", r.sloping ? "slope" : "flat", "' d='M", c.pixel_x(r.x0), ' ', c.pixel_y(r.y0), 'L',
                  c.pixel_x(r.x1), ' ', c.pixel_y(r.y1), "'/>\n<text class='roof' transform='translate(",
                  c.pixel_x(r.label_x), ' ', c.pixel_y(r.label_y), ") rotate(", r.sloping ? c.slope_degrees() : 0,
                  ")' y='", r.label_below ? 14 : -5, "' text-anchor='", r.sloping ? "start" : "end", "'>",
                  escape_markup(r.label), "</text>\n");
  }
  for (const ridge_point& r : c.ridges) {
    const double x = c.pixel_x(r.flop_per_byte()), y = c.pixel_y(r.compute.per_s);
    out += concat("<circle class='ridge' cx='", x, "' cy='", y, "' r='3'/>\n<text class='roof' transform='translate(",
                  x + 4, ' ', y - 8, ") rotate(-90)'>", escape_markup(r.bandwidth.level), ' ',
                  figures(r.flop_per_byte()), "</text>\n");
  }
  return out;
}

}  // namespace detail

/// A profile on a machine's roofline as a picture: FLOP/s over FLOP/B on log axes fixed by the machine, every roof and
/// ridge point labelled, marker area the share of time, colour and shape the pass, details on hover. Light or dark as
/// the reader prefers.
[[nodiscard]] inline std::string svg(const profile& p, const machine& on) {
  const chart c = layout(p, on);
  std::string out = concat("<svg xmlns='http://www.w3.org/2000/svg' viewBox='-80 -20 ", chart::width + 110, ' ',
                           chart::height + 110, "' font-family='system-ui, sans-serif' font-size='12' role='img'>\n",
                           "<title>", escape_markup(p.title), " on ", escape_markup(on.name), "</title>\n");
  out += R"(<style>
text{fill:#222} .grid{stroke:#ddd;fill:none} .slope,.flat{stroke:#444;stroke-width:1.5;fill:none}
.flat{stroke-dasharray:6 3} .roof{fill:#444;font-size:11px;paint-order:stroke;stroke:#fff;stroke-width:3px}
.ridge{fill:#444} .mark{fill-opacity:.65;stroke-width:1.5} .above{fill-opacity:0}
.letter{font-weight:bold;text-anchor:middle;dominant-baseline:central;paint-order:stroke;stroke:#fff;stroke-width:2px}
@media (prefers-color-scheme: dark){text{fill:#eee} .grid{stroke:#3a3a3a} .slope,.flat{stroke:#bbb}
.roof,.ridge{fill:#bbb}
.roof,.letter{stroke:#181818}}
</style>
)" + detail::svg_axes(c) +
         detail::svg_roofs(c);
  for (const chart_point& point : c.points) {
    const profile_row& row = p.rows[point.row];
    const double x = c.pixel_x(point.at.flop_per_byte), y = c.pixel_y(point.at.flop_per_s);
    out +=
        concat(detail::svg_marker(row.pass, x, y, point.radius), " class='mark", point.at.above_roof ? " above" : "",
               "' fill='", colour_of(row.pass), "' stroke='", colour_of(row.pass), "'><title>", row_letter(point.row),
               ' ', escape_markup(row.layer), ' ', to_string(row.pass), ' ', escape_markup(row.shape), ": ",
               quantity(point.at.flop_per_s, "FLOP/s"), ", ", figures(100 * point.at.efficiency), " % of the ",
               escape_markup(point.at.bound), " roof, ", figures(100 * point.share), " % of the time</title></",
               row.pass == pass::forward ? "circle" : "path", ">\n");
  }
  for (const chart_point& point : c.points)
    out += concat("<text class='letter' x='", c.pixel_x(point.label_x), "' y='", c.pixel_y(point.label_y), "'>",
                  row_letter(point.row), "</text>\n");
  double x = 0;
  for (const pass one : {pass::forward, pass::backward_data, pass::backward_weights, pass::update, pass::feed}) {
    out += concat(detail::svg_marker(one, x + 6, chart::height + 66, 6), " fill='", colour_of(one), "'/><text x='",
                  x + 18, "' y='", chart::height + 70, "'>", to_string(one), "</text>\n");
    x += 150;
  }
  return out + "</svg>\n";
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
