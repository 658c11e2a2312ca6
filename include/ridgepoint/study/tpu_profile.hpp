// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <tuple>

#include <ridgepoint/mxu/step.hpp>
#include <ridgepoint/roofline/machine.hpp>
#include <ridgepoint/roofline/profile.hpp>
#include <ridgepoint/roofline/text_table.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// The roofs of so many cores of a chip: what the arrays can do, the vector unit, memory.
[[nodiscard]] inline machine roofs_of(const tpu::chip& on, index_t cores) {
  const auto n = static_cast<double>(cores);
  machine m{.name = concat("TPU ", on.name, ", ", cores, cores == 1 ? " core" : " cores", " (model)"),
            .description = on.description,
            .ceilings = {},
            .clock_hz = on.clock_hz};
  const auto ceiling_of = [&](ceiling_kind kind, const char* operation, std::string dtype, std::string level,
                              double per_s, std::string source) {
    m.ceilings.push_back({.kind = kind,
                          .operation = operation,
                          .isa = {},
                          .dtype = std::move(dtype),
                          .level = std::move(level),
                          .capacity_bytes = 0,
                          .threads = 0,
                          .per_s = per_s,
                          .measured = {},
                          .source = std::move(source)});
  };
  ceiling_of(ceiling_kind::compute, "mxu", on.dtype, {}, on.peak_flop_per_s(cores), "2 · MACs · clock");
  ceiling_of(ceiling_kind::compute, "vpu", "f32", {}, n * on.vector_flop_per_s(), "lanes · sublanes · ALUs · clock");
  ceiling_of(ceiling_kind::bandwidth, "memory", {}, "HBM", n * on.hbm_bytes_per_s, on.machine);
  return m;
}

/// A modelled step as a profile of the whole board: ops that are equal but for their name become one row, with how
/// often they occur; what the cores wait for the host, and what the host does between loops, are rows of their own.
[[nodiscard]] inline profile as_profile(const tpu::modelled_step& step, std::string dtype) {
  profile p{.title = concat("modelled: ", step.title),
            .backend = concat("model of TPU ", step.chip, ", ", step.cores, step.cores == 1 ? " core" : " cores"),
            .threads = 0,
            .rows = {},
            .step_s = step.step_s,
            .dtype = std::move(dtype)};
  std::map<std::tuple<pass, std::string, double>, std::size_t> row_of;
  std::vector<std::uint64_t> times;
  for (const tpu::modelled_op& op : step.ops) {
    const auto [found, added] = row_of.try_emplace({op.pass, op.shape, op.elapsed_s}, p.rows.size());
    if (added) {
      p.rows.push_back({.layer = op.name, .pass = op.pass, .shape = op.shape});
      times.push_back(0);
    }
    profile_row& row = p.rows[found->second];
    const std::uint64_t count = op.repeat * static_cast<std::uint64_t>(step.cores);
    const work& r = op.receipt;
    row.receipt += {.flop = r.flop * count,
                    .matrix_flop = r.matrix_flop * count,
                    .special = r.special * count,
                    .bytes = {r.bytes.inputs * count, r.bytes.weights * count, r.bytes.outputs * count}};
    row.elapsed_s += op.total_s();
    row.footprint_bytes += op.bytes * count;
    times[found->second] += op.repeat;
  }
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i] > 1) p.rows[i].layer += concat(" ×", times[i]);
  const double wait_s = step.step_s - step.device_s - step.loop_s;
  if (wait_s > 0)
    p.rows.push_back({.layer = "wait for infeed", .pass = pass::feed, .shape = step.infeed.shape, .elapsed_s = wait_s});
  if (step.loop_s > 0)
    p.rows.push_back({.layer = "between loops", .pass = pass::feed, .shape = "", .elapsed_s = step.loop_s});
  return p;
}

/// A modelled step as text: its ops, longest first, equal ones together, at most `most_rows` of them; then what the
/// step waits for.
[[nodiscard]] inline std::string table(const tpu::modelled_step& step, std::size_t most_rows = 40) {
  struct line {
    const tpu::modelled_op* op;
    std::uint64_t times = 0;
    double total_s = 0;
  };
  std::vector<line> lines;
  std::map<std::tuple<pass, std::string, double>, std::size_t> line_of;
  for (const tpu::modelled_op& op : step.ops) {
    const auto [found, added] = line_of.try_emplace({op.pass, op.shape, op.elapsed_s}, lines.size());
    if (added) lines.push_back({&op});
    lines[found->second].times += op.repeat;
    lines[found->second].total_s += op.total_s();
  }
  std::stable_sort(lines.begin(), lines.end(), [](const line& a, const line& b) { return a.total_s > b.total_s; });

  const auto share = [&](double s) { return figures(100 * s / step.step_s); };
  text_table t{
      .head = {"layer", "times", "pass", "shape, per core", "each", "all", "share", "MXU used", "of its roof", "bound"},
      .units = {"", "", "", "", "µs", "ms", "%", "%", "%", ""},
      .align = "lrllrrrrrl"};
  double rest_s = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const tpu::modelled_op& op = *lines[i].op;
    if (i >= most_rows) {
      rest_s += lines[i].total_s;
      continue;
    }
    t.rows.push_back({op.name, concat(lines[i].times), std::string(to_string(op.pass)), op.shape,
                      figures(1e6 * op.elapsed_s), figures(1e3 * lines[i].total_s), share(lines[i].total_s),
                      figures(100 * op.utilisation), figures(100 * op.least_s() / op.elapsed_s),
                      std::string(to_string(op.bound))});
  }
  if (rest_s > 0)
    t.rows.push_back({concat("(", lines.size() - most_rows, " more)"), "", "", "", "", figures(1e3 * rest_s),
                      share(rest_s), "", "", ""});
  const double wait_s = step.step_s - step.device_s - step.loop_s;
  t.rows.push_back(
      {"wait for infeed", "", "feed", step.infeed.shape, "", figures(1e3 * wait_s), share(wait_s), "", "", "host"});
  t.rows.push_back(
      {"between loops", "", "feed", "", "", figures(1e3 * step.loop_s), share(step.loop_s), "", "", "host"});
  t.rows.emplace_back();
  t.rows.push_back({"step", "", "", "", "", figures(1e3 * step.step_s), "100", figures(100 * step.utilisation())});

  std::string text =
      concat("modelled: ", step.title, " on TPU ", step.chip, ", ", step.cores, step.cores == 1 ? " core" : " cores",
             ", batch ", step.batch, "\n\n", t.text(), "\n", figures(static_cast<double>(step.batch) / step.step_s, 4),
             " samples/s; ", figures(100 * step.quoted_utilisation()), " % of the quoted ",
             quantity(step.quoted_flop_per_s, "FLOP/s"), "\ndevice time by bound:");
  for (const tpu::bound b :
       {tpu::bound::mxu, tpu::bound::fill, tpu::bound::weight_fetch, tpu::bound::hbm, tpu::bound::vpu, tpu::bound::ici})
    if (step.bound_s(b) > 0)
      text += concat(' ', to_string(b), ' ', figures(100 * step.bound_s(b) / step.device_s), " %");
  return text + '\n';
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
