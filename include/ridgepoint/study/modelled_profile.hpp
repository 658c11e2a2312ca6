// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/gpu/step.hpp>
#include <ridgepoint/mxu/step.hpp>
#include <ridgepoint/roofline/machines.hpp>
#include <ridgepoint/roofline/profile.hpp>
#include <ridgepoint/roofline/text_table.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Modelled ops that are equal except for their names.
template <class Op>
struct equal_ops {
  const Op* first = nullptr;
  std::uint64_t times = 0;
  double total_s = 0;
  work receipt = {};        // of all
  std::uint64_t bytes = 0;  // moved by memory for all
};

/// Groups equal ops, in the order of each group's first op.
template <class Op>
[[nodiscard]] std::vector<equal_ops<Op>> group_equal(const std::vector<Op>& ops) {
  std::vector<equal_ops<Op>> groups;
  std::map<std::tuple<pass, std::string, double>, std::size_t> place_of;
  for (const Op& op : ops) {
    const auto [found, added] = place_of.try_emplace({op.pass, op.shape, op.elapsed_s}, groups.size());
    if (added) groups.push_back({&op});
    equal_ops<Op>& group = groups[found->second];
    group.times += op.repeat;
    group.total_s += op.total_s();
    group.receipt += op.receipt * op.repeat;
    group.bytes += static_cast<std::uint64_t>(op.bytes) * op.repeat;
  }
  return groups;
}
/// Groups equal ops, longest total time first.
template <class Op>
[[nodiscard]] std::vector<equal_ops<Op>> longest_first(const std::vector<Op>& ops) {
  std::vector<equal_ops<Op>> groups = group_equal(ops);
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.total_s > b.total_s; });
  return groups;
}

/// One row for each group of equal ops, which `machines` machines execute at the same time.
template <class Op>
[[nodiscard]] std::vector<profile_row> profile_rows(const std::vector<Op>& ops, std::uint64_t machines = 1) {
  std::vector<profile_row> rows;
  for (const equal_ops<Op>& group : group_equal(ops)) {
    const Op& op = *group.first;
    rows.push_back({.layer = group.times > 1 ? concat(op.name, " ×", group.times) : op.name,
                    .pass = op.pass,
                    .shape = op.shape,
                    .receipt = group.receipt * machines,
                    .elapsed_s = group.total_s,
                    .footprint_bytes = group.bytes * machines,
                    .launches = op.launches() * group.times});
  }
  return rows;
}

/// Roofs of a GPU for products of a format: its peak, fp32 without tensor cores, memory, the time of a short kernel.
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

/// Converts a modelled step to a profile: equal ops become one row; the device's wait for the host is a row of its own.
[[nodiscard]] inline profile as_profile(const gpu::modelled_step& step) {
  profile p{.title = concat("modelled: ", step.title),
            .backend = concat("model of ", step.gpus == 1 ? "" : concat(step.gpus, ' '), "GPU ", step.chip, " with ",
                              step.software),
            .threads = 0,
            .rows = profile_rows(step.ops),
            .step_s = step.step_s,
            .dtype = std::string(to_string(step.in))};
  if (step.wait_s() > 0)
    p.rows.push_back({.layer = "wait for the host", .pass = pass::feed, .shape = "", .elapsed_s = step.wait_s()});
  return p;
}

/// Formats a modelled step: its ops, longest first, equal ones together, up to `most_rows` rows; then the device's
/// wait.
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

  std::string text =
      concat("modelled: ", printable(step.title), step.gpus == 1 ? " on GPU " : concat(" on ", step.gpus, " GPUs "),
             printable(step.chip), " in ", to_string(step.in), " with ", printable(step.software), ", batch ",
             step.fed.batch, "\n\n", t.text(), "\n", figures(static_cast<double>(step.fed.batch) / step.step_s, 4),
             " samples/s; ", figures(100 * step.utilisation()), " % of ", quantity(step.peak_flop_per_s, "FLOP/s"),
             "\nat the same time: device ", quantity(step.device_s, "s"), ", the host's dispatch of ", step.dispatches,
             " ops ", quantity(step.dispatch_s, "s"), ", the host's feed ", quantity(step.feed_s, "s"),
             "\ndevice time by bound:");
  using enum gpu::bound;
  for (const gpu::bound b : {product, tiles, memory, launch, gpu::bound::link})
    if (step.bound_s(b) > 0)
      text += concat(' ', to_string(b), ' ', figures(100 * step.bound_s(b) / step.device_s), " %");
  if (step.gpus > 1)
    text += concat("\nsums of gradients over ", step.over, ": ", quantity(step.sums_s, "s"), ", ",
                   quantity(step.bound_s(gpu::bound::link), "s"), " of it not overlapped; ",
                   figures(100 * step.efficiency()), " % of the samples/s of ", step.gpus, " single GPUs");
  return text + '\n';
}

/// Roofs of `cores` cores of a chip: the arrays' peak, the vector unit, memory, the latency of an op.
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

/// Converts a modelled step to a profile of the whole board: ops that are equal except for their name become one row,
/// with their number; the cores' wait for the host and the host's time between loops are rows of their own.
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

/// Formats a modelled step: its ops, longest first, equal ones together, up to `most_rows` rows; then the step's waits.
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
