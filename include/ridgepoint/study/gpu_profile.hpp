// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/gpu/step.hpp>
#include <ridgepoint/roofline/machines.hpp>
#include <ridgepoint/roofline/text_table.hpp>
#include <ridgepoint/study/equal_ops.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// The roofs of a GPU for products of a format: its peak, fp32 without tensor cores, memory, a short kernel's time.
[[nodiscard]] inline machine roofs_of(const gpu::platform& p) {
  using ridgepoint::detail::sheet_memory, ridgepoint::detail::sheet_peak;
  machine m{.name = concat("GPU ", p.on.name, " (model)"),
            .description = p.on.description,
            .ceilings = {sheet_peak("f32", "fma", p.on.f32_flop_per_s / 1e12, p.on.machine),
                         sheet_memory("memory", p.on.memory_bytes_per_s / 1e9, p.on.machine)},
            .launch_s = p.with.kernel_s};
  if (p.in != gpu::number_format::f32)
    m.ceilings.push_back(sheet_peak(std::string(to_string(p.in)).c_str(), "tensor core",
                                    p.on.peak_flop_per_s(p.in) / 1e12, p.on.machine));
  return m;
}

/// A modelled step as a profile: equal ops become one row; what the device waits for the host is a row of its own.
[[nodiscard]] inline profile as_profile(const gpu::modelled_step& step) {
  profile p{.title = concat("modelled: ", step.title),
            .backend = concat("model of GPU ", step.chip, " with ", step.software),
            .threads = 0,
            .rows = profile_rows(step.ops),
            .step_s = step.step_s,
            .dtype = std::string(to_string(step.in))};
  if (step.wait_s() > 0)
    p.rows.push_back({.layer = "wait for the host", .pass = pass::feed, .shape = "", .elapsed_s = step.wait_s()});
  return p;
}

/// A modelled step as text: its ops, longest first, equal ones together, at most `most_rows` of them; then what the
/// device waits for.
[[nodiscard]] inline std::string table(const gpu::modelled_step& step, std::size_t most_rows = 40) {
  const std::vector<equal_ops<gpu::modelled_op>> lines = longest_first(step.ops);
  const auto share = [&](double s) { return figures(100 * s / step.step_s); };
  text_table t{
      .head = {"layer", "times", "pass", "shape", "kernels", "each", "all", "share", "of peak", "of its roof", "bound"},
      .units = {"", "", "", "", "", "µs", "ms", "%", "%", "%", ""},
      .align = "lrllrrrrrrl"};
  double rest_s = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const gpu::modelled_op& op = *lines[i].first;
    if (i >= most_rows) {
      rest_s += lines[i].total_s;
      continue;
    }
    t.rows.push_back({op.name, concat(lines[i].times), std::string(to_string(op.pass)), op.shape, concat(op.kernels),
                      figures(1e6 * op.elapsed_s), figures(1e3 * lines[i].total_s), share(lines[i].total_s),
                      figures(100 * op.utilisation), figures(100 * op.least_s / op.elapsed_s),
                      std::string(to_string(op.bound))});
  }
  if (rest_s > 0)
    t.rows.push_back({concat("(", lines.size() - most_rows, " more)"), "", "", "", "", "", figures(1e3 * rest_s),
                      share(rest_s), "", "", ""});
  t.rows.push_back({"wait for the host", "", "feed", "", "", "", figures(1e3 * step.wait_s()), share(step.wait_s()), "",
                    "", "host"});
  t.rows.emplace_back();
  t.rows.push_back(
      {"step", "", "", "", "", "", figures(1e3 * step.step_s), "100", figures(100 * step.utilisation()), "", ""});

  std::string text = concat(
      "modelled: ", printable(step.title), " on GPU ", printable(step.chip), " in ", to_string(step.in), " with ",
      printable(step.software), ", batch ", step.fed.batch, "\n\n", t.text(), "\n",
      figures(static_cast<double>(step.fed.batch) / step.step_s, 4), " samples/s; ", figures(100 * step.utilisation()),
      " % of ", quantity(step.peak_flop_per_s, "FLOP/s"), "\nat the same time: device ", quantity(step.device_s, "s"),
      ", the host's dispatch of ", step.dispatches, " ops ", quantity(step.dispatch_s, "s"), ", the host's feed ",
      quantity(step.feed_s, "s"), "\ndevice time by bound:");
  for (const gpu::bound b : {gpu::bound::product, gpu::bound::tiles, gpu::bound::memory, gpu::bound::launch})
    if (step.bound_s(b) > 0)
      text += concat(' ', to_string(b), ' ', figures(100 * step.bound_s(b) / step.device_s), " %");
  return text + '\n';
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
