// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/roofline/table.hpp>
#include <ridgepoint/roofline/text_table.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

RIDGEPOINT_DEFINITION std::string table(const profile& p, const machine& on) {
  text_table t{.head = {"", "layer", "pass", "shape", "GFLOP", "FLOP/B", "time", "share", "GFLOP/s", "GB/s",
                        "% of roof", "bound by"},
               .units = {"", "", "", "", "", "", "ms", "%", "", "", "", ""},
               .align = "llllrrrrrrrl"};
  const auto share = [&](double elapsed_s) { return figures(p.step_s > 0 ? 100 * elapsed_s / p.step_s : 0); };
  const auto add = [&](text_table::row cells, const work& receipt, double elapsed_s, std::optional<double> efficiency,
                       std::string bound) {
    const auto flop = static_cast<double>(receipt.flop), bytes = static_cast<double>(receipt.bytes.total());
    const double giga_per_s = elapsed_s > 0 ? 1e-9 / elapsed_s : 0;
    for (std::string cell : {figures(1e-9 * flop), figures(receipt.flop_per_byte()), figures(1e3 * elapsed_s),
                             share(elapsed_s), figures(giga_per_s * flop), figures(giga_per_s * bytes),
                             efficiency ? figures(100 * *efficiency) : "-", std::move(bound)})
      cells.push_back(std::move(cell));
    t.rows.push_back(std::move(cells));
  };
  bool some_above = false, some_fewer = false, some_undecided = false;
  for (std::size_t i = 0; i < p.rows.size(); ++i) {
    const profile_row& row = p.rows[i];
    const placement at = place(on, p, row);
    add({std::string(1, row_letter(i)), row.layer, std::string(to_string(row.pass)), row.shape}, row.receipt,
        row.elapsed_s, at.efficiency, at.marked_bound());
    some_above |= at.above_roof;
    some_fewer |= at.fewer_flop;
    some_undecided |= at.undecided;
  }
  const auto column = [&](std::string head, char align, auto cell) {  // unless it would be empty
    const auto filled = [&](const profile_row& r) { return !cell(r).empty(); };
    if (std::none_of(p.rows.begin(), p.rows.end(), filled)) return;
    t.head.push_back(std::move(head)), t.units.emplace_back(), t.align += align;
    for (std::size_t i = 0; i < p.rows.size(); ++i) t.rows[i].push_back(cell(p.rows[i]));
  };
  column("gain", 'r',
         [&](const profile_row& r) { return r.algorithm.empty() ? std::string() : figures(place(on, p, r).gain); });
  column("algorithm", 'l', [](const profile_row& r) { return r.algorithm; });
  column("ran on", 'l', [](const profile_row& r) { return r.backend; });
  t.rows.push_back({"", "residual", "", "", "", "", figures(1e3 * p.residual_s()), share(p.residual_s())});
  t.rows.emplace_back();
  const std::optional<double> score = step_score(on, p);
  add({"", "step", "", ""}, p.receipt(), p.step_s, score, "");

  std::string text = p.meanwhile.busy() ? busy_host(p) + "\n\n" : "";
  text += printable(concat(p.title, " on ", where_it_ran(p, on), "; roofs of ", on.name, "; 1 multiply-add = 2 FLOP")) +
          "\n\n" + t.text();
  if (!score) text += concat(no_score_legend, '\n');
  if (const std::string legend = launch_legend(on, p); !legend.empty()) text += legend + '\n';
  if (some_undecided) text += concat(ridge_legend, '\n');
  if (some_above) text += concat(above_roof_legend, '\n');
  if (some_fewer) text += concat(fewer_flop_legend, '\n');
  return text;
}

RIDGEPOINT_DEFINITION std::string table(const machine& m, const roof_query& query) {
  text_table t{.head = {"ceiling", "capacity", "value", "median", "CV", "samples", "source"}, .align = "lrrrrrl"};
  for (const ceiling& c : m.ceilings) {
    const bool computes = c.kind == ceiling_kind::compute;
    const std::string_view unit = computes ? "FLOP/s" : "B/s";
    t.rows.push_back({to_string(c), computes ? "" : capacity(c.capacity_bytes), quantity(c.per_s, unit),
                      c.measured ? quantity(c.measured->median, unit) : "",
                      c.measured ? figures(100 * c.measured->cv, 2) + " %" : "",
                      c.measured ? concat(c.measured->samples) : "", c.source});
  }
  std::string text = m.name + (m.description.empty() ? "" : ": " + m.description);
  if (m.clock_hz > 0) text += "; clock " + quantity(m.clock_hz, "Hz");
  if (m.launch_s > 0) text += "; a launch takes " + quantity(m.launch_s, "s");
  text = printable(text) + "\n\n" + t.text() + '\n';
  for (const ridge_point& r : m.ridge_points(query))
    text += printable(concat("ridge point ", r.bandwidth.level, ": ", figures(r.flop_per_byte()), " FLOP/B (",
                             to_string(r.compute), " over ", to_string(r.bandwidth), ')')) +
            '\n';
  for (const std::string& doubt : suspicions(m, query)) text += "suspicious: " + printable(doubt) + '\n';
  return text;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
