// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/roofline/chart.hpp>
#include <ridgepoint/roofline/environment.hpp>
#include <ridgepoint/roofline/placement.hpp>
#include <ridgepoint/roofline/plot.hpp>
#include <ridgepoint/roofline/text_table.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Origin of the times of a step.
enum class origin { measured, modelled, none };
[[nodiscard]] constexpr std::string_view to_string(origin o) noexcept {
  constexpr std::string_view names[] = {"measured", "modelled", "none"};
  return names[static_cast<int>(o)];
}

/// A network's step on one of several machines, or the reason why it is missing.
struct chart_step {
  std::string name;  // as requested: "host", "h200", "gpu.json"
  study::origin origin = study::origin::none;
  std::string how = {};   // where and when measured, or the model's basis; for none: the reason
  std::string note = {};  // additional information
  ridgepoint::profile profile = {};
  ridgepoint::machine machine = {};
  std::optional<environment> at = {};  // of a measurement made here

  [[nodiscard]] const ceiling* peak() const { return machine.peak(roofs_for(profile)); }
  [[nodiscard]] std::string dtype() const { return roofs_for(profile).dtype; }
  /// The largest memory.
  [[nodiscard]] const ceiling* memory() const {
    const std::vector<std::string> levels = machine.levels();
    return levels.empty() ? nullptr : machine.bandwidth(levels.back(), roofs_for(profile));
  }
  [[nodiscard]] double flop_per_s() const {
    return profile.step_s > 0 ? static_cast<double>(profile.receipt().flop) / profile.step_s : 0;
  }
  /// Share of the step's time that the highest of the three roofs takes: 1 is on the roof.
  [[nodiscard]] double roof_share() const {
    return profile.step_s > 0 ? step_roofs_of(machine, profile).longest_s() / profile.step_s : 0;
  }
};

/// One network on several machines, for one chart.
struct network_chart {
  std::string network;
  index_t batch = 1;
  std::vector<chart_step> steps;
};

/// Letter of a machine: a capital if the step was measured.
[[nodiscard]] inline char letter_of(const network_chart& c, std::size_t i) noexcept {
  return static_cast<char>((c.steps[i].origin == origin::measured ? 'A' : 'a') + i % 26);
}
/// "h200: modelled"
[[nodiscard]] inline std::string legend_of(const chart_step& s) { return concat(s.name, ": ", to_string(s.origin)); }

/// "A host: measured: by ridgepoint.avx2, 2 threads on …"
[[nodiscard]] inline std::string info_of(const network_chart& c, std::size_t i) {
  const chart_step& s = c.steps[i];
  return concat(letter_of(c, i), ' ', legend_of(s), ": ", s.how, s.note.empty() ? "" : "; ", s.note);
}
/// "25 × 2.00 µs"; "-" if launches cost nothing.
[[nodiscard]] inline std::string launches_of(const chart_step& s) {
  if (exactly(s.machine.launch_s, 0)) return "-";
  return concat(s.profile.launches(), " × ", quantity(s.machine.launch_s, "s"));
}

/// Rows that take time, the longest first, up to `most`.
[[nodiscard]] inline std::vector<const profile_row*> longest_rows(const profile& p, std::size_t most) {
  std::vector<const profile_row*> rows;
  for (const profile_row& row : p.rows)
    if (row.elapsed_s > 0) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->elapsed_s > b->elapsed_s; });
  rows.resize((std::min)(rows.size(), most));
  return rows;
}

/// Rows that fit on a chart and take at least 1 % of the step; shorter ones would hide them.
[[nodiscard]] inline std::vector<const profile_row*> charted_rows(const chart_step& s) {
  std::vector<const profile_row*> rows;
  for (const profile_row& row : s.profile.rows)
    if (on_chart(place(s.machine, s.profile, row)) && row.elapsed_s >= 0.01 * s.profile.step_s) rows.push_back(&row);
  return rows;
}

/// Axes that reach every ridge point of the largest memories, every step with its charted_rows(), and the roofs of
/// launches that are below the peak.
[[nodiscard]] inline roofline_axes axes_of(const network_chart& c) {
  std::optional<roofline_axes> axes;
  const auto reach = [&](double x, double y) {
    if (!(x > 0 && y > 0 && std::isfinite(x) && std::isfinite(y))) return;
    if (!axes) {
      const int column = static_cast<int>(std::floor(std::log10(x))), row = static_cast<int>(std::floor(std::log10(y)));
      axes = {.x = {column, column + 1}, .y = {row, row + 1}};
    }
    axes->x.reach(x), axes->y.reach(y);
  };
  for (const chart_step& s : c.steps) {
    const ceiling *flat = s.peak(), *slope = s.memory();
    const double x = s.profile.receipt().flop_per_byte(), launches = launch_roof_flop_per_s(s.machine, s.profile);
    reach(x, s.flop_per_s());
    for (const profile_row* row : charted_rows(s))
      reach(row->receipt.flop_per_byte(), static_cast<double>(row->receipt.flop) / row->elapsed_s);
    if (flat == nullptr || launches < flat->per_s) reach(x, launches);
    if (flat == nullptr || slope == nullptr) continue;
    const double ridge = flat->per_s / slope->per_s;
    reach(ridge / 10, flat->per_s);
    reach(ridge * 10, 3 * flat->per_s);
  }
  return axes.value_or(roofline_axes());
}

/// Legend of the table and the chart.
inline constexpr std::string_view network_chart_legend =
    "measured: this library ran the step there; modelled: from the ceilings of a data sheet or of a saved machine, "
    "nothing ran";

/// Formats a line for each machine, measured or modelled, and for each its `most_rows` longest ops.
///
/// "of its roof": max(FLOP / peak, bytes / bandwidth, launches · launch) over the step's time; "bound by" names the
/// largest of the three. Peak: of the step's number format; memory: the largest.
[[nodiscard]] inline std::string table(const network_chart& c, std::size_t most_rows = 5) {
  text_table all{.head = {"", "machine", "step is", "format", "peak", "memory", "launches", "step", "samples", "rate",
                          "of its roof", "bound by"},
                 .align = "llllrrrrrrrl"};
  text_table ops{.head = {"", "machine", "layer", "pass", "shape", "time", "share", "rate", "of its roof", "bound by"},
                 .align = "lllllrrrrl"};
  std::string notes;
  const auto rate = [](const ceiling* of, const char* unit) { return of != nullptr ? quantity(of->per_s, unit) : "-"; };
  const auto percent = [](double share) { return figures(100 * share) + " %"; };
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const chart_step& s = c.steps[i];
    const std::string letter(1, letter_of(c, i));
    notes += printable(info_of(c, i)) + '\n';
    if (s.origin == origin::none) {
      all.rows.push_back({letter, s.name, "none", "-", "-", "-", "-", "-", "-", "-", "-", "-"});
      continue;
    }
    const profile& p = s.profile;
    all.rows.push_back({letter, s.name, std::string(to_string(s.origin)), s.dtype(), rate(s.peak(), "FLOP/s"),
                        rate(s.memory(), "B/s"), launches_of(s), quantity(p.step_s, "s"),
                        quantity(static_cast<double>(c.batch) / p.step_s, "/s"), quantity(s.flop_per_s(), "FLOP/s"),
                        percent(s.roof_share()), std::string(step_roofs_of(s.machine, p).bound())});
    if (!ops.rows.empty() && most_rows > 0) ops.rows.emplace_back();
    for (const profile_row* row : longest_rows(p, most_rows)) {
      const placement at = place(s.machine, p, *row);
      ops.rows.push_back({letter, s.name, row->layer, std::string(to_string(row->pass)), row->shape,
                          quantity(row->elapsed_s, "s"), percent(row->elapsed_s / p.step_s),
                          quantity(at.flop_per_s, "FLOP/s"), percent(at.efficiency), at.marked_bound()});
    }
  }
  std::string text =
      concat(printable(c.network), ", batch ", c.batch, ": a step of training; 1 multiply-add = 2 FLOP\n\n", all.text(),
             '\n', notes, network_chart_legend, '\n');
  return ops.rows.empty() ? text : concat(text, "\nops that take longest\n\n", ops.text());
}

/// Plots the steps of one network below the roofs of their machines, for a terminal: one letter each, as in the table,
/// a capital if measured; + where letters meet. A roof has the slope of the machine's largest memory; the roof of
/// launches is dotted.
/// Throws: value_error unless width is 40 to 400 and height 8 to 200.
[[nodiscard]] inline std::string plot(const network_chart& c, const plot_options& options = {}) {
  check(options);
  const roofline_axes axes = axes_of(c);
  text_canvas canvas(options.width, options.height, options.style);
  std::string legend;
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const chart_step& s = c.steps[i];
    const ceiling *flat = s.peak(), *slope = s.memory();
    if (s.origin == origin::none || flat == nullptr || slope == nullptr) continue;
    for (int column = 0; column < canvas.dots_across(); ++column) {
      const double x = (column + 0.5) / canvas.dots_across(), on_slope = axes.x.value_at(x) * slope->per_s;
      const bool on_flat = on_slope >= flat->per_s;
      if (on_slope >= axes.y.low())
        canvas.dot(x, axes.y.position((std::min)(on_slope, flat->per_s)), on_flat ? '-' : '/');
    }
    const double launches = launch_roof_flop_per_s(s.machine, s.profile);
    if (launches > 0 && launches < axes.y.high())
      ridgepoint::detail::draw_launch_roof(canvas, axes.y.position(launches));
    const std::string launch_words = launch_legend(s.machine, s.profile);
    legend += concat("        ", letter_of(c, i), ' ', printable(legend_of(s)), "; ", printable(s.dtype()), ' ',
                     quantity(flat->per_s, "FLOP/s"), ", ", slope->level, ' ', quantity(slope->per_s, "B/s"),
                     launch_words.empty() ? "" : "\n          " + launch_words + " (dotted)", '\n');
  }
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const chart_step& s = c.steps[i];
    const double x = s.profile.receipt().flop_per_byte(), y = s.flop_per_s();
    if (x > 0 && y > 0) canvas.letter(axes.x.position(x), axes.y.position(y), letter_of(c, i));
  }
  return concat("FLOP/s of ", printable(c.network),
                " on its machines' roofs; capitals are measured, small letters modelled\n",
                ridgepoint::detail::with_axes(canvas, axes, options), legend);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
