// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/graph/compiler.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

RIDGEPOINT_DEFINITION compiled plan_inference(const graph& net, std::span<const node> outputs,
                                              const compile_options& options, std::span<const objective> others) {
  require<value_error>(!outputs.empty(), "compile: no output; must have at least 1");
  std::vector<int> all;
  for (const objective& each : others) all.push_back(net.index_of(each.output));
  for (const node& each : outputs) all.push_back(net.index_of(each));
  return detail::compiler(net, all, options, detail::purpose::inference).inference(outputs.size());
}
RIDGEPOINT_DEFINITION compiled plan_inference(const graph& net, const node& output, const compile_options& options,
                                              std::span<const objective> others) {
  return plan_inference(net, std::span(&output, 1), options, others);
}
RIDGEPOINT_DEFINITION compiled plan_session(const graph& net, std::span<const node> outputs,
                                            const compile_options& options) {
  require<value_error>(!outputs.empty(), "compile: no output; must have at least 1");
  std::vector<int> all;
  for (const node& each : outputs) all.push_back(net.index_of(each));
  return detail::compiler(net, all, options, detail::purpose::session).inference(outputs.size());
}
RIDGEPOINT_DEFINITION compiled plan_evaluation(const graph& net, std::span<const objective> objectives,
                                               const compile_options& options) {
  compile_options one_pass = options;
  one_pass.micro_batches = 1;
  one_pass.exchange.reset();
  std::vector<int> outputs;
  for (const objective& each : objectives) outputs.push_back(net.index_of(each.output));
  detail::compiler compiler(net, outputs, one_pass, detail::purpose::inference);
  for (const objective& each : objectives) compiler.add(each.loss, each.weight);
  return compiler.evaluation();
}
RIDGEPOINT_DEFINITION compiled plan_evaluation(const graph& net, const node& output, const any_loss& loss,
                                               const compile_options& options) {
  const objective only{output, loss};
  return plan_evaluation(net, std::span(&only, 1), options);
}
RIDGEPOINT_DEFINITION compiled plan_training(const graph& net, std::span<const objective> objectives,
                                             const any_optimiser& optimiser, const compile_options& options) {
  std::vector<int> outputs;
  for (const objective& each : objectives) outputs.push_back(net.index_of(each.output));
  detail::compiler compiler(net, outputs, options, detail::purpose::training);
  for (const objective& each : objectives) compiler.add(each.loss, each.weight);
  return compiler.training(optimiser);
}
RIDGEPOINT_DEFINITION compiled plan_training(const graph& net, const node& output, const any_loss& loss,
                                             const any_optimiser& optimiser, const compile_options& options) {
  const objective only{output, loss};
  return plan_training(net, std::span(&only, 1), optimiser, options);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
