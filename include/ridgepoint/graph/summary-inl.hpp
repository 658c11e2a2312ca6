// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/summary.hpp>
#include <ridgepoint/roofline/text_table.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

/// Formats as "1,195,018"; empty for 0.
[[nodiscard]] inline std::string grouped(std::uint64_t value) {
  if (value == 0) return {};
  std::string digits = concat(value);
  for (std::size_t at = digits.size(); at > 3; digits.insert(at, 1, ',')) at -= 3;
  return digits;
}

/// Returns the options with a batch of one.
[[nodiscard]] inline compile_options of_one_sample(compile_options options) {
  options.batch = 1;
  return options;
}
/// Summarises what does not depend on the plan: the layers that the outputs depend on, with the work per sample from
/// `one`.
[[nodiscard]] inline network_summary summarise(const graph& net, std::span<const objective> outputs,
                                               const ridgepoint::plan& one) {
  std::vector<bool> needed(net.nodes().size());
  std::vector<int> open;
  for (const objective& each : outputs) open.push_back(net.index_of(each.output));
  network_summary made{.name = net.name(), .layers = {}, .output = outputs.front().output.extents()};
  while (!open.empty()) {
    const auto v = static_cast<std::size_t>(open.back());
    open.pop_back();
    if (needed[v]) continue;
    needed[v] = true;
    open.insert(open.end(), net.nodes()[v].inputs.begin(), net.nodes()[v].inputs.end());
  }
  for (std::size_t v = 0; v < needed.size(); ++v) {
    if (!needed[v]) continue;
    const graph_node& n = net.nodes()[v];
    layer_summary row{.name = n.name, .output = n.output};
    for (const parameter& p : net.parameters_of(n)) {
      row.parameters = checked_add(row.parameters, p.extents.size());
      if (p.trainable) row.trainable = checked_add(row.trainable, p.extents.size());
    }
    for (const planned_call& call : one.calls)
      if (call.info.layer == n.name) row.forward += call.info.receipt;
    made.layers.push_back(std::move(row));
  }
  return made;
}

[[nodiscard]] inline network_summary with_plan(network_summary made, const compiled& planned) {
  made.batch = planned.batch;
  made.precision = planned.precision;
  made.memory = planned.plan.memory();
  made.step = planned.plan.receipt();
  return made;
}

}  // namespace detail

RIDGEPOINT_DEFINITION network_summary graph::summary(std::initializer_list<node> outputs,
                                                     const compile_options& options) const {
  const compiled one = plan_inference(*this, outputs, detail::of_one_sample(options));
  std::vector<objective> all;
  for (const node& each : outputs) all.push_back({each, nn::mse{}});  // an unused loss
  return detail::with_plan(detail::summarise(*this, all, one.plan), plan_inference(*this, outputs, options));
}
RIDGEPOINT_DEFINITION network_summary graph::summary(const node& output, const compile_options& options) const {
  return summary({output}, options);
}
RIDGEPOINT_DEFINITION network_summary graph::summary(std::span<const objective> objectives,
                                                     const any_optimiser& optimiser,
                                                     const compile_options& options) const {
  require<value_error>(!objectives.empty(), "summary: no objective; must have at least 1");
  const compiled one = plan_evaluation(*this, objectives, detail::of_one_sample(options));
  return detail::with_plan(detail::summarise(*this, objectives, one.plan),
                           plan_training(*this, objectives, optimiser, options));
}
RIDGEPOINT_DEFINITION network_summary graph::summary(std::initializer_list<objective> objectives,
                                                     const any_optimiser& optimiser,
                                                     const compile_options& options) const {
  return summary(std::span(objectives.begin(), objectives.size()), optimiser, options);
}
RIDGEPOINT_DEFINITION network_summary graph::summary(const node& output, const any_loss& loss,
                                                     const any_optimiser& optimiser,
                                                     const compile_options& options) const {
  return summary({{output, loss}}, optimiser, options);
}

RIDGEPOINT_DEFINITION std::string to_string(const network_summary& s) {
  text_table layers{
      .head = {s.name, "output", "parameters", "FLOP"}, .units = {"", "one sample", "", "one sample"}, .align = "llrr"};
  const auto row = [](const layer_summary& l) {
    return text_table::row{l.name, to_string(l.output), detail::grouped(static_cast<std::uint64_t>(l.parameters)),
                           detail::grouped(l.forward.flop)};
  };
  for (const layer_summary& each : s.layers) layers.rows.push_back(row(each));
  const layer_summary total = s.total();
  layers.rows.push_back({});
  layers.rows.push_back(row(total));
  if (total.trainable != total.parameters)
    layers.rows.push_back({"trainable", "", detail::grouped(static_cast<std::uint64_t>(total.trainable))});

  return layers.text() + concat("a step of ", s.batch, " in ", s.precision, ": ",
                                quantity(static_cast<double>(s.step.flop), "FLOP"), "; memory ", to_string(s.memory),
                                '\n');
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
