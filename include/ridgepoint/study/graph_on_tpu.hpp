// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <map>

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/graph/program.hpp>
#include <ridgepoint/mxu/all_reduce.hpp>
#include <ridgepoint/mxu/infeed.hpp>
#include <ridgepoint/mxu/memory.hpp>
#include <ridgepoint/mxu/plan_attention.hpp>
#include <ridgepoint/mxu/plan_recurrent.hpp>
#include <ridgepoint/mxu/step.hpp>
#include <ridgepoint/study/modelled_graph.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// The ops of a plan on one core, in order; the backward pass of an activation rides on the product before it; after
/// each optimiser's op follows the second pass over its parameters that the published traces show (extra_pass).
/// Throws: unsupported if an op has no place on this chip.
template <class UserOps = type_list<>>
[[nodiscard]] std::vector<modelled_op> modelled_ops(const chip& on, const plan& steps, UserOps user_ops = {}) {
  for (const planned_call& call : steps.calls)
    require<unsupported>(on.fifo_tiles == 0 || call.info.pass == pass::forward, "TPU ", on.name,
                         " only infers; it has no place for ", call.op, " (layer ", call.info.layer, ", pass ",
                         to_string(call.info.pass), ')');
  std::vector<modelled_op> ops;
  std::map<int, std::size_t> product_of;  // by the slot it wrote last: its place in ops
  const auto append = [&](const planned_call& call, modelled_op op) {
    if (call.type == typeid(activate_backward_args<float>)) {
      std::size_t last = ops.size();  // the product that made the gradient: the last of those that wrote an operand
      for (const slot s : call.reads)
        if (const auto found = product_of.find(s.index); found != product_of.end())
          last = last == ops.size() ? found->second : (std::max)(last, found->second);
      if (last != ops.size() && ops[last].pass != pass::forward) {
        return fuse(on, ops[last], op.receipt, op.receipt.bytes.outputs);  // of two operands one is new, as large as dx
      }
    }
    for (const slot s : call.writes) product_of.erase(s.index);
    if (op.receipt.matrix_flop > 0) product_of[call.writes.front().index] = ops.size();
    op.name = call.info.layer;
    ops.push_back(std::move(op));
    if (call.info.pass != pass::update) return;
    const auto parameters = static_cast<index_t>(steps[call.writes.front()].bytes / sizeof(float));
    ops.push_back(model_update(on, parameters, extra_pass, call.info.layer + " (2nd pass)"));
    ops.back().shape = call.info.shape;
  };
  study::for_each_modelled<modelled_op>(on, "TPU " + on.name, steps, user_ops, append);
  return ops;
}

/// What a compiled graph keeps in one core's HBM.
[[nodiscard]] inline step_memory memory_of(const compiled& made) {
  const auto values = [&](memory_region r) { return static_cast<double>(made.plan.bytes(r)) / sizeof(float); };
  const double parameters = values(memory_region::parameters);
  return {.parameters = parameters,
          .optimiser_values = parameters > 0 ? values(memory_region::moments) / parameters : 0,
          .activations = values(memory_region::arena),
          .activation_bytes = 2};  // bf16, each value before and after a nonlinearity in its own place
}

/// A compiled graph on `cores` cores of a chip, without running it: each core does `made`, a plan for its share of the
/// batch; in training the cores add their gradients up; the host feeds all of them.
///
/// Throws: unsupported if an op has no place on this chip; value_error unless 1 ≤ cores ≤ the board's.
/// Example:
///   const auto made = rp::plan_training(net, logits, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 128});
///   const auto step = rp::tpu::modelled(rp::tpu::find_chip("v2"), made, 8);             // a batch of 1024
template <class UserOps = type_list<>>
[[nodiscard]] modelled_step modelled(const chip& on, const compiled& made, index_t cores = 1, UserOps user_ops = {}) {
  const index_t batch = checked_mul(made.batch, cores);
  static_cast<void>(batch_per_core(on, batch, cores));
  std::vector<modelled_op> ops = modelled_ops(on, made.plan, user_ops);
  const bool trains = made.plan.bytes(memory_region::gradients) > 0;
  index_t parameters = 0, tensors = 0, label_values = 0;
  for (const auto& block : made.blocks) parameters += block.size, ++tensors;  // weights and bias travel together
  for (const planned_loss& l : made.losses)  // one label is fed as ParaDnn feeds it, a number for each class
    label_values += l.output_shape.rank() == 1 ? l.output_shape.size() : l.targets_per_sample;
  if (trains && cores > 1) ops.push_back(model_all_reduce(on, parameters, tensors, cores));
  const modelled_op infeed =
      model_infeed(on, {.batch = batch, .sample_values = study::fed_values(made), .label_values = label_values});
  return compose(on, std::move(ops), infeed, static_cast<std::uint64_t>(parameters), batch, cores);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What tpu::modelled() says of the backend's chip.
template <backend Host, class UserOps = type_list<>>
[[nodiscard]] tpu::modelled_step modelled(const mxu<Host>& on, const compiled& made, index_t cores = 1,
                                          UserOps user_ops = {}) {
  return modelled(on.chip(), made, cores, user_ops);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
