// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <string_view>

#include <ridgepoint/mxu/all_reduce.hpp>
#include <ridgepoint/mxu/infeed.hpp>
#include <ridgepoint/mxu/memory.hpp>
#include <ridgepoint/mxu/plan.hpp>
#include <ridgepoint/mxu/step.hpp>
#include <ridgepoint/mxu/update.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// A fully connected network of ParaDnn and the batch of all cores: input → layers × (node, ReLU) → output.
struct fc_shape {
  index_t layers = 0, node = 0, input = 0, output = 0, batch = 0;

  /// input·node + (layers − 1)·node² + node·output.
  [[nodiscard]] constexpr std::uint64_t weights() const noexcept {
    return static_cast<std::uint64_t>(input * node + (layers - 1) * node * node + node * output);
  }
  [[nodiscard]] constexpr std::uint64_t parameters() const noexcept {
    return weights() + static_cast<std::uint64_t>(layers * node + output);
  }
  friend constexpr bool operator==(const fc_shape&, const fc_shape&) = default;
};

/// Throws: shape_error if an extent is < 1.
inline void check(const fc_shape& s) {
  require<shape_error>(s.layers >= 1 && s.node >= 1 && s.input >= 1 && s.output >= 1, "fc: ", s.layers, " layers of ",
                       s.node, " from ", s.input, " to ", s.output, "; all must be >= 1");
}

/// "layer_4-node_32-input_2000-output_200-bs_64", with whatever follows. Throws: data_error if it does not start so.
[[nodiscard]] inline fc_shape parse_fc_label(std::string_view label) {
  fc_shape s;
  std::string_view rest = label;
  const std::pair<std::string_view, index_t*> parts[] = {
      {"layer_", &s.layers}, {"-node_", &s.node}, {"-input_", &s.input}, {"-output_", &s.output}, {"-bs_", &s.batch}};
  for (const auto& [word, value] : parts) {
    bool read = rest.starts_with(word);
    if (read) {
      rest.remove_prefix(word.size());
      const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), *value);
      read = failure == std::errc{} && *value >= 1 && *value <= 1 << 20;
      rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    }
    require<data_error>(read, "label \"", label, "\": has no ", word,
                        "N; must be layer_N-node_N-input_N-output_N-bs_N");
  }
  return s;
}

namespace detail {

/// One dense layer on a core, ReLU behind all but the last, as a graph's plan has it.
struct fc_layer {
  index_t in = 0, out = 0, batch = 0;
  std::uint64_t repeat = 1;
  bool first = false, last = false;
  std::string name;

  [[nodiscard]] tpu::modelled_op product(const tpu::chip& on, pass which) const {
    float stand_in = 0;  // an address for the bias; nothing is read or written
    const matrix_view<const float> x{nullptr, batch, in}, w{nullptr, in, out}, y{nullptr, batch, out};
    if (which == pass::forward)
      return modelled(on, dense_args<float>{.x = x,
                                            .w = w,
                                            .bias = &stand_in,
                                            .y = {nullptr, batch, out},
                                            .act = last ? activation::none : activation::relu});
    if (which == pass::backward_weights)
      return modelled(on,
                      dense_backward_weights_args<float>{.x = x, .dy = y, .dw = {nullptr, in, out}, .db = &stand_in});
    tpu::modelled_op op = modelled(on, dense_backward_data_args<float>{.dy = y, .w = w, .dx = {nullptr, batch, in}});
    const tpu::modelled_op relu = modelled(
        on, activate_backward_args<float>{
                .f = activation::relu, .slope = 0, .size = batch * in, .y = nullptr, .dy = nullptr, .dx = nullptr});
    fuse(on, op, relu.receipt, relu.receipt.bytes.outputs);
    return op;
  }
  void append_to(std::vector<tpu::modelled_op>& ops, const tpu::chip& on, pass which) const {
    if (first && which == pass::backward_data) return;  // nothing needs the gradient of the data
    ops.push_back(product(on, which));
    ops.back().name = name, ops.back().pass = which, ops.back().repeat = repeat;
  }
  void append_updates_to(std::vector<tpu::modelled_op>& ops, const tpu::chip& on, index_t cores) const {
    const index_t parameters = in * out + out;
    for (tpu::modelled_op op : {tpu::model_all_reduce(on, parameters, 1, cores, name + " all-reduce"),
                                tpu::model_update(on, parameters, tpu::rmsprop_update, name + " rmsprop"),
                                tpu::model_update(on, parameters, tpu::extra_pass, name + " apply")}) {
      if (exactly(op.elapsed_s, 0)) continue;
      op.repeat = repeat;
      ops.push_back(std::move(op));
    }
  }
};

}  // namespace detail

/// A training step of an FC network as ParaDnn ran it (RMSProp with momentum, synthetic data, data parallel): the equal
/// layers in the middle are one op each with a repeat count, so that a step costs some 20 evaluations.
/// Throws: value_error unless cores divide the batch; shape_error if an extent is < 1.
/// Example: rp::study::fc_step(rp::tpu::find_chip("v2"), {4, 8192, 8000, 1000, 16384}, 8).step_s
[[nodiscard]] inline tpu::modelled_step fc_step(const tpu::chip& on, const fc_shape& s, index_t cores) {
  check(s);
  const index_t batch = tpu::batch_per_core(on, s.batch, cores);
  std::vector<detail::fc_layer> layers;
  layers.push_back({.in = s.input, .out = s.node, .batch = batch, .first = true, .name = "first"});
  if (s.layers > 1) {
    const auto repeat = static_cast<std::uint64_t>(s.layers - 1);
    layers.push_back({.in = s.node, .out = s.node, .batch = batch, .repeat = repeat, .name = "middle"});
  }
  layers.push_back({.in = s.node, .out = s.output, .batch = batch, .last = true, .name = "last"});

  std::vector<tpu::modelled_op> ops;
  for (const detail::fc_layer& layer : layers) layer.append_to(ops, on, pass::forward);
  float stand_in = 0;
  ops.push_back(modelled(on, softmax_cross_entropy_args<float>{.logits = {nullptr, batch, s.output},
                                                               .labels = nullptr,
                                                               .dlogits = {&stand_in, batch, s.output},
                                                               .state = nullptr}));
  ops.back().name = "loss";
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    layer->append_to(ops, on, pass::backward_weights);
    layer->append_to(ops, on, pass::backward_data);
    layer->append_updates_to(ops, on, cores);
  }
  tpu::modelled_op infeed =
      tpu::model_infeed(on, {.batch = s.batch, .sample_values = s.input, .label_values = s.output});
  return tpu::compose(on, std::move(ops), std::move(infeed), s.parameters(), s.batch, cores);
}

/// What the step keeps in a core's memory: RMSProp's two moments, and every layer's activations.
[[nodiscard]] constexpr tpu::step_memory fc_memory(const fc_shape& s, index_t cores) noexcept {
  const auto values = static_cast<double>(s.input + s.layers * s.node + s.output);
  return {.parameters = static_cast<double>(s.parameters()),
          .activations = values * static_cast<double>(s.batch) / static_cast<double>(cores)};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
