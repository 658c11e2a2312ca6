// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/step.hpp>
#include <ridgepoint/roofline/machines.hpp>
#include <ridgepoint/roofline/profile.hpp>
#include <ridgepoint/roofline/text_table.hpp>
#include <ridgepoint/study/equal_ops.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// The roofs of so many cores of a chip: what the arrays can do, the vector unit, memory, the latency of an op.
[[nodiscard]] inline machine roofs_of(const tpu::chip& on, index_t cores) {
  const auto n = static_cast<double>(cores);
  using ridgepoint::detail::sheet_memory, ridgepoint::detail::sheet_peak;
  return {.name = concat("TPU ", on.name, ", ", cores, cores == 1 ? " core" : " cores", " (model)"),
          .description = on.description,
          .ceilings = {sheet_peak(on.dtype.c_str(), "mxu", on.peak_flop_per_s(cores) / 1e12, "2 · MACs · clock"),
                       sheet_peak("f32", "vpu", n * on.vector_flop_per_s() / 1e12, "lanes · sublanes · ALUs · clock"),
                       sheet_memory("HBM", n * on.hbm_bytes_per_s / 1e9, on.machine)},
          .clock_hz = on.clock_hz,
          .launch_s = on.fit.op_latency_s};
}

/// A modelled step as a profile of the whole board: ops that are equal but for their name become one row, with how
/// often they occur; what the cores wait for the host, and what the host does between loops, are rows of their own.
[[nodiscard]] inline profile as_profile(const tpu::modelled_step& step, std::string dtype) {
  profile p{.title = concat("modelled: ", step.title),
            .backend = concat("model of TPU ", step.chip, ", ", step.cores, step.cores == 1 ? " core" : " cores"),
            .threads = 0,
            .rows = profile_rows(step.ops, static_cast<std::uint64_t>(step.cores)),
            .step_s = step.step_s,
            .dtype = std::move(dtype)};
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
  const std::vector<equal_ops<tpu::modelled_op>> lines = longest_first(step.ops);
  const auto share = [&](double s) { return figures(100 * s / step.step_s); };
  text_table t{
      .head = {"layer", "times", "pass", "shape, per core", "each", "all", "share", "MXU used", "of its roof", "bound"},
      .units = {"", "", "", "", "µs", "ms", "%", "%", "%", ""},
      .align = "lrllrrrrrl"};
  double rest_s = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const tpu::modelled_op& op = *lines[i].first;
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

  std::string text = concat("modelled: ", printable(step.title), " on TPU ", printable(step.chip), ", ", step.cores,
                            step.cores == 1 ? " core" : " cores", ", batch ", step.batch, "\n\n", t.text(), "\n",
                            figures(static_cast<double>(step.batch) / step.step_s, 4), " samples/s; ",
                            figures(100 * step.quoted_utilisation()), " % of the quoted ",
                            quantity(step.quoted_flop_per_s, "FLOP/s"), "\ndevice time by bound:");
  for (const tpu::bound b :
       {tpu::bound::mxu, tpu::bound::fill, tpu::bound::weight_fetch, tpu::bound::hbm, tpu::bound::vpu, tpu::bound::ici})
    if (step.bound_s(b) > 0)
      text += concat(' ', to_string(b), ' ', figures(100 * step.bound_s(b) / step.device_s), " %");
  return text + '\n';
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
