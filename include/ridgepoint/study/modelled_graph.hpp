// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <map>
#include <unordered_map>

#include <ridgepoint/gpu/plan.hpp>
#include <ridgepoint/gpu/step.hpp>
#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/graph/compiled.hpp>
#include <ridgepoint/graph/program.hpp>
#include <ridgepoint/mxu/memory.hpp>
#include <ridgepoint/mxu/plan.hpp>
#include <ridgepoint/mxu/step.hpp>
#include <ridgepoint/ops/all.hpp>

/// \file
/// Models compiled graphs on GPUs and TPUs: the time of each call of a plan by modelled(on, args), which is found like
/// execute().
namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Function that models one op.
template <class On, class Op>
using op_modeller = Op (*)(const On&, const void* args);

/// Finds the modeller of a listed op; null if it is not listed or has no model.
template <class On, class Op, class... Args>
[[nodiscard]] op_modeller<On, Op> find_modeller(type_list<Args...>, op_id op) {
  static const std::unordered_map<op_id, op_modeller<On, Op>> modellers = [] {
    std::unordered_map<op_id, op_modeller<On, Op>> all;
    const auto add = [&]<class A>() {
      if constexpr (requires(const On& on, const A& args) {
                      { modelled(on, args) } -> std::same_as<Op>;
                    })
        all[op_id_of<A>] = [](const On& on, const void* args) { return modelled(on, *static_cast<const A*>(args)); };
    };
    (add.template operator()<Args>(), ...);
    return all;
  }();
  const auto found = modellers.find(op);
  return found == modellers.end() ? nullptr : found->second;
}

/// Calls use(call, op) for each call of a plan that takes time on `on`, in order; messages name `machine`.
/// Throws: unsupported if the model has no time for an op.
template <class Op, class On, class UserOps, class Use>
void for_each_modelled(const On& on, std::string_view machine, const plan& steps, UserOps user_ops, const Use& use) {
  const addresses at = addresses_in_regions(steps);
  for (const planned_call& call : steps.calls) {
    const auto model = find_modeller<On, Op>(all_ops<float>{} + untyped_ops{} + user_ops, call.op);
    require<unsupported>(model != nullptr, machine, " has no model of ", *call.op, " (layer ", call.info.layer, ')');
    const std::shared_ptr<const void> args = call.bind(at);
    Op op = model(on, args.get());
    if (op.elapsed_s == 0) continue;
    op.pass = call.info.pass;
    op.shape = call.info.shape;
    use(call, std::move(op));
  }
}

/// Number of values fed per sample.
[[nodiscard]] inline index_t fed_values(const compiled& made) {
  index_t values = 0;
  for (const shape& s : made.input_shapes) values += s.size();
  return values;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study

namespace ridgepoint::inline RIDGEPOINT_ABI::gpu {

/// Models a compiled graph on a GPU, without running it.
///
/// Throws: unsupported if the model has no time for an op; value_error as check(platform).
/// Example:
///   const auto made = rp::plan_training(net, logits, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 128});
///   const auto step = modelled({rp::gpu::find_chip("v100"), rp::gpu::find_software("tensorflow")}, made);
template <class UserOps = type_list<>>
[[nodiscard]] modelled_step modelled(const platform& p, const compiled& made, UserOps user_ops = {}) {
  check(p);
  std::vector<modelled_op> ops;
  study::for_each_modelled<modelled_op>(p, "GPU " + p.on.name, made.plan, user_ops,
                                        [&](const planned_call& call, modelled_op op) {
                                          op.name = call.info.layer;
                                          ops.push_back(std::move(op));
                                        });
  return compose(p, std::move(ops), {.batch = made.batch, .sample_values = study::fed_values(made)});
}

/// Memory that a compiled graph keeps on a GPU, in bytes: parameters, gradients and optimiser state in fp32,
/// activations in the format of the products.
[[nodiscard]] inline double memory_bytes(const platform& p, const compiled& made) {
  const auto bytes = [&](memory_region r) { return static_cast<double>(made.plan.bytes(r)); };
  using enum memory_region;
  return bytes(parameters) + bytes(gradients) + bytes(moments) + p.width() * bytes(arena);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::gpu

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

namespace detail {

/// Padding of an image's batch and channels in memory, as a factor.
[[nodiscard]] inline double padding_of(index_t batch, index_t channels) {
  if (batch == 0 || channels == 0) return 1;
  return static_cast<double>(padded_elements(batch, channels)) / static_cast<double>(batch * channels);
}
[[nodiscard]] inline std::uint64_t scaled(std::uint64_t bytes, double by) noexcept {
  return static_cast<std::uint64_t>(by * static_cast<double>(bytes));
}

/// An elementwise op on padded images.
[[nodiscard]] inline modelled_op padded(const chip& on, modelled_op op, double by) {
  op.elapsed_s +=
      (std::max)(op.vpu_s * by, op.hbm_s * by / op.stream_share) - (std::max)(op.vpu_s, op.hbm_s / op.stream_share);
  op.bytes = scaled(op.bytes, by), op.hbm_s *= by, op.vpu_s *= by;
  conclude(op, on.peak_flop_per_s());
  return op;
}

/// The reduction of a batch normalisation, which reads its inputs once; other ops compute the rest.
[[nodiscard]] inline modelled_op statistics_of(const chip& on, const modelled_op& whole) {
  const auto width = static_cast<double>(on.operand_bytes),
             read = static_cast<double>(whole.receipt.bytes.inputs) / width;
  modelled_op op = model_vector(on, {.elements = (std::max)(index_t{1}, static_cast<index_t>(read)),
                                     .flop_per_element = 4,
                                     .bytes_read = width,
                                     .bytes_written = 0,
                                     .name = whole.name,
                                     .pass = whole.pass});
  op.shape = whole.shape;
  return op;
}

}  // namespace detail

/// The ops of a plan on one core, in order; `batch` is that of images, whose batch and channels are padded (0: not).
///
/// XLA fuses elementwise ops into products: the backward pass of an activation into the preceding one. Around
/// convolutions it leaves of a batch normalisation only its sums; the ops that read its result, or its gradient,
/// compute that from x (and dy), with the activation. Sums of gradients belong to the convolution before.
/// Each optimiser's op is followed by the second pass over its parameters that the published traces show (extra_pass).
/// Throws: unsupported if the chip cannot run an op.
template <class UserOps = type_list<>>
[[nodiscard]] std::vector<modelled_op> modelled_ops(const chip& on, const plan& steps, UserOps user_ops = {},
                                                    index_t batch = 0) {
  for (const planned_call& call : steps.calls)
    require<unsupported>(on.fifo_tiles == 0 || call.info.pass == pass::forward, "TPU ", on.name,
                         " only infers; it cannot run ", *call.op, " (layer ", call.info.layer, ", pass ",
                         to_string(call.info.pass), ')');
  std::vector<modelled_op> ops;
  std::map<int, std::size_t> product_of;      // by the last slot it wrote: its place in ops
  std::size_t convolution = std::size_t(-1);  // the last one
  index_t channels = 0;                       // of the last image
  const auto append = [&](const planned_call& call, modelled_op op) {
    const bool norm = call.op == op_id_of<batch_norm_args<float>>,
               norm_back = call.op == op_id_of<batch_norm_backward_args<float>>,
               back = call.op == op_id_of<activate_backward_args<float>>, sum = call.op == op_id_of<add_args<float>>;
    if (back) {
      std::size_t last = ops.size();  // product of the gradient: the last of those that wrote an operand
      for (const slot s : call.reads)
        if (const auto found = product_of.find(s.index); found != product_of.end())
          last = last == ops.size() ? found->second : (std::max)(last, found->second);
      if (last != ops.size() && ops[last].pass != pass::forward) {
        return fuse(on, ops[last], op.receipt, op.receipt.bytes.outputs);  // of two operands one is new, as large as dx
      }
    }
    if (op.channels > 0) channels = op.channels;
    const bool after_convolution = on.fifo_tiles == 0 && convolution < ops.size();
    const double by = after_convolution && op.receipt.matrix_flop == 0 && (sum || op.channels > 0)
                          ? detail::padding_of(batch, channels)
                          : 1;
    if (after_convolution && (norm || norm_back)) {
      const work rest{.flop = norm ? op.receipt.flop * 3 / 7 : op.receipt.flop * 5 / 9, .special = op.receipt.special};
      // The gradient is computed for the data and again for the weights: each time x is read with dy.
      fuse(on, ops[convolution], rest, norm ? 0 : detail::scaled(op.receipt.bytes.inputs, by));
      op = detail::statistics_of(on, op);
    } else if (after_convolution && (back || call.op == op_id_of<activate_args<float>>)) {
      return fuse(on, ops[convolution], op.receipt, 0);
    } else if (after_convolution && sum && call.info.pass != pass::forward) {
      return fuse(on, ops[convolution], op.receipt, detail::scaled(op.receipt.bytes.outputs, by));
    }
    if (by > 1) op = detail::padded(on, std::move(op), by);
    for (const slot s : call.writes) product_of.erase(s.index);
    if (op.receipt.matrix_flop > 0) product_of[call.writes.front().index] = ops.size();
    if (call.op == op_id_of<conv2d_args<float>> || call.op == op_id_of<conv2d_backward_data_args<float>> ||
        call.op == op_id_of<conv2d_backward_weights_args<float>>)
      convolution = ops.size();
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

/// Memory that a compiled graph keeps in one core's HBM.
[[nodiscard]] inline step_memory memory_of(const compiled& made) {
  const auto values = [&](memory_region r) { return static_cast<double>(made.plan.bytes(r)) / sizeof(float); };
  const double parameters = values(memory_region::parameters);
  return {.parameters = parameters,
          .optimiser_values = parameters > 0 ? values(memory_region::moments) / parameters : 0,
          .activations = values(memory_region::arena),
          .activation_bytes = 2};  // bf16, each value before and after a nonlinearity
}

/// Models a compiled graph on `cores` cores of a chip, without running it: each core runs `made`, a plan for its share
/// of the batch; in training the cores sum their gradients; the host feeds all of them.
///
/// Throws: unsupported if the chip cannot run an op; value_error unless 1 ≤ cores ≤ the board's.
/// Example:
///   const auto made = rp::plan_training(net, logits, nn::softmax_cross_entropy{}, nn::adam{}, {.batch = 128});
///   const auto step = rp::tpu::modelled(rp::tpu::find_chip("v2"), made, 8);             // a batch of 1024
template <class UserOps = type_list<>>
[[nodiscard]] modelled_step modelled(const chip& on, const compiled& made, index_t cores = 1, UserOps user_ops = {}) {
  const index_t batch = checked_mul(made.batch, cores);
  static_cast<void>(batch_per_core(on, batch, cores));
  std::vector<modelled_op> ops = modelled_ops(on, made.plan, user_ops, made.batch);
  const bool trains = made.plan.bytes(memory_region::gradients) > 0;
  index_t parameters = 0, tensors = 0, label_values = 0;
  for (const auto& block : made.blocks) parameters += block.size, ++tensors;  // weights and bias are reduced together
  for (const planned_loss& l : made.losses)  // a label is fed as in ParaDnn, one number per class
    label_values += l.output_shape.rank() == 1 ? l.output_shape.size() : l.targets_per_sample;
  if (trains && cores > 1) ops.push_back(model_all_reduce(on, parameters, tensors, cores));
  const modelled_op infeed = model_infeed(on, {.batch = batch,
                                               .sample_values = study::fed_values(made),
                                               .label_values = label_values,
                                               .sample_bytes = on.operand_bytes});
  return compose(on, std::move(ops), infeed, static_cast<std::uint64_t>(parameters), batch, cores);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Returns tpu::modelled() for the backend's chip.
template <backend Host, class UserOps = type_list<>>
[[nodiscard]] tpu::modelled_step modelled(const mxu<Host>& on, const compiled& made, index_t cores = 1,
                                          UserOps user_ops = {}) {
  return modelled(on.chip(), made, cores, user_ops);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
