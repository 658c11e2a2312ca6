// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/gpu/chips.hpp>
#include <ridgepoint/gpu/plan.hpp>
#include <ridgepoint/gpu/step.hpp>
#include <ridgepoint/study/paradnn_fc.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// ParaDnn's GPU: 16-bit products on a V100, dispatched by TensorFlow 1.
[[nodiscard]] inline gpu::platform paradnn_gpu() {
  return {gpu::find_chip("v100"), gpu::find_software("tensorflow"), gpu::number_format::f16};
}

/// A training step of an FC network on a GPU as ParaDnn ran it; the equal layers in the middle are one op each with a
/// repeat count, as fc_step() of a TPU has them.
/// Throws: shape_error if an extent is < 1; value_error as check(platform).
/// Example: fc_step(rp::study::paradnn_gpu(), {4, 8192, 2000, 1000, 512}).step_s
[[nodiscard]] inline gpu::modelled_step fc_step(const gpu::platform& p, const fc_shape& s) {
  check(s);
  std::vector<gpu::modelled_op> ops;
  const auto append = [&](const char* name, pass which, std::uint64_t repeat, const auto& args) {
    ops.push_back(modelled(p, args));
    ops.back().name = name, ops.back().pass = which, ops.back().repeat = repeat;
  };
  float any = 0;  // an address for what is there; nothing is read or written
  struct layer {
    const char* name;
    index_t in, out;
    std::uint64_t repeat;
  };
  std::vector<layer> layers{{"first", s.input, s.node, 1}};
  if (s.layers > 1) layers.push_back({"middle", s.node, s.node, static_cast<std::uint64_t>(s.layers - 1)});
  layers.push_back({"last", s.node, s.output, 1});
  for (const layer& l : layers)
    append(l.name, pass::forward, l.repeat,
           dense_args<float>{.x = {nullptr, s.batch, l.in},
                             .w = {nullptr, l.in, l.out},
                             .bias = &any,
                             .y = {nullptr, s.batch, l.out},
                             .act = &l == &layers.back() ? activation::none : activation::relu});
  append("loss", pass::forward, 1,
         softmax_cross_entropy_args<float>{.logits = {nullptr, s.batch, s.output},
                                           .labels = nullptr,
                                           .dlogits = {&any, s.batch, s.output},
                                           .state = nullptr});
  for (auto l = layers.rbegin(); l != layers.rend(); ++l) {
    const matrix_view<const float> dy{nullptr, s.batch, l->out};
    append(l->name, pass::backward_weights, l->repeat,
           dense_backward_weights_args<float>{
               .x = {nullptr, s.batch, l->in}, .dy = dy, .dw = {nullptr, l->in, l->out}, .db = &any});
    if (l + 1 != layers.rend()) {  // nothing needs the gradient of the data
      append(l->name, pass::backward_data, l->repeat,
             dense_backward_data_args<float>{.dy = dy, .w = {nullptr, l->in, l->out}, .dx = {nullptr, s.batch, l->in}});
      append("relu", pass::backward_data, l->repeat,
             activate_backward_args<float>{.f = activation::relu, .size = s.batch * l->in});
    }
    append("rmsprop", pass::update, l->repeat,
           rmsprop_tf1_update_args<float>{.size = l->in * l->out + l->out, .w = &any, .g = &any});
  }
  return compose(p, std::move(ops), {.batch = s.batch, .sample_values = s.input});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
