// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ridgepoint/onednn/all.hpp>

#include "onednn_primitive.hpp"
#include "recurrent_problem.hpp"

namespace peer {

/// Layout of oneDNN's recurrent layer: all operands in oneDNN's preferred layout (any), or dense sequences and
/// weights in the order each pass reads them (plain). No call converts a layout.
enum class recurrent_layout { plain, any };

namespace detail {

/// Converts weights from our order of gates to oneDNN's, or back.
template <class Cell>
[[nodiscard]] std::vector<float> other_order(const recurrent_pass& of, const float* w) {
  std::vector<float> all(static_cast<std::size_t>(of.g.input_weights() + of.g.recurrent_weights()));
  if constexpr (Cell::z_first)
    ridgepoint::onednn_detail::exchange_gates(w, all.data(), of.g.in + of.g.units, of.g.units);
  else std::copy_n(w, all.size(), all.begin());
  return all;
}

template <class Cell>
[[nodiscard]] task onednn_recurrent_task(const std::shared_ptr<recurrent_problem>& p, const Cell& cell,
                                         recurrent_layout laid_out) {
  namespace dnn = ridgepoint::onednn_detail;
  using tag = dnnl::memory::format_tag;
  const recurrent_pass& of = p->of;
  const ridgepoint::recurrent_geometry& g = of.g;
  const recurrent_pass::memory m = p->memory();
  struct made {
    onednn_primitive forward, backward = onednn_primitive(forward.engine());
    std::vector<float> w = {}, bias = {}, dw = {}, db = {};  // in oneDNN's order
  };
  const auto all = std::make_shared<made>();
  all->w = other_order<Cell>(of, m.w);
  all->bias.resize(static_cast<std::size_t>(Cell::biases * g.units));
  Cell::bias_of(g.units, m.bias, of.reset() == ridgepoint::gru_reset::after ? m.recurrent_bias : nullptr,
                all->bias.data());

  const bool back_too = of.which == "backward";
  dnn::recurrent_layouts ours = dnn::dense_layouts<Cell>(g);
  const dnnl::memory::desc state = ours.h0;
  ours.last = {};               // not requested
  if (!back_too) ours.h0 = {};  // zero by default; but without h0, dwh of 2.6 is wrong
  dnn::recurrent_layouts asked = ours, asked_back = dnn::with_weights<Cell>(ours, g, tag::ldgoi), asked_d = ours;
  if (laid_out == recurrent_layout::any)
    for (dnn::recurrent_layouts* each : {&asked, &asked_back, &asked_d}) {
      *each = dnn::with_weights<Cell>(*each, g, tag::any);
      each->x = {{g.steps, g.n, g.in}, dnnl::memory::data_type::f32, tag::any};
      each->y = {{g.steps, g.n, g.units}, dnnl::memory::data_type::f32, tag::any};
    }

  const auto pass = of.which == "inference" ? dnnl::prop_kind::forward_inference : dnnl::prop_kind::forward_training;
  const auto chosen = dnn::describe_recurrent(all->forward.engine(), cell, pass, asked);
  float* const wh = all->w.data() + g.input_weights();
  all->forward.reads(DNNL_ARG_SRC_LAYER, ours.x, m.x, chosen.src_layer_desc());
  all->forward.reads(DNNL_ARG_WEIGHTS_LAYER, ours.wx, all->w.data(), chosen.weights_layer_desc());
  all->forward.reads(DNNL_ARG_WEIGHTS_ITER, ours.wh, wh, chosen.weights_iter_desc());
  all->forward.reads(DNNL_ARG_BIAS, ours.bias, all->bias.data(), ours.bias);
  const auto zeros = [](const dnnl::memory& memory) {
    std::memset(memory.get_data_handle(), 0, memory.get_desc().get_size());
  };
  std::vector<std::pair<int, dnnl::memory>> states;
  if (back_too) states.emplace_back(DNNL_ARG_SRC_ITER, all->forward.keeps(DNNL_ARG_SRC_ITER, state));
  if (back_too && Cell::has_c) states.emplace_back(DNNL_ARG_SRC_ITER_C, all->forward.keeps(DNNL_ARG_SRC_ITER_C, state));
  for (const auto& [role, memory] : states) zeros(memory);
  const dnnl::memory y = all->forward.writes(DNNL_ARG_DST_LAYER, ours.y, m.y, chosen.dst_layer_desc());
  dnnl::memory workspace;
  if (of.which != "inference") workspace = all->forward.keeps(DNNL_ARG_WORKSPACE, chosen.workspace_desc());
  all->forward.is(typename Cell::forward(chosen));
  task t{.work = static_cast<double>(of.receipt().matrix_flop), .run = [all] { all->forward.run(); }};
  t.verify = [all, p] { all->forward.deliver(), p->verify(); };
  t.detail = chosen.impl_info_str();
  if (!back_too) return t;

  all->forward.run();  // fills the workspace, which a backward pass only reads
  all->dw.resize(all->w.size());
  all->db.resize(all->bias.size());
  onednn_primitive& backward = all->backward;
  const auto back = dnn::describe_recurrent_backward(backward.engine(), cell, chosen, asked_back, asked_d);
  backward.reads(DNNL_ARG_SRC_LAYER, ours.x, m.x, back.src_layer_desc());
  backward.reads(DNNL_ARG_WEIGHTS_LAYER, ours.wx, all->w.data(), back.weights_layer_desc());
  backward.reads(DNNL_ARG_WEIGHTS_ITER, ours.wh, wh, back.weights_iter_desc());
  backward.reads(DNNL_ARG_BIAS, ours.bias, all->bias.data(), ours.bias);
  for (const auto& [role, memory] : states) backward.uses(role, memory);
  backward.keeps(DNNL_ARG_DIFF_SRC_ITER, state);
  if (Cell::has_c) backward.keeps(DNNL_ARG_DIFF_SRC_ITER_C, state);
  backward.uses(DNNL_ARG_DST_LAYER, y);
  backward.uses(DNNL_ARG_WORKSPACE, workspace);
  backward.reads(DNNL_ARG_DIFF_DST_LAYER, ours.y, m.dy, back.diff_dst_layer_desc());
  backward.writes(DNNL_ARG_DIFF_SRC_LAYER, ours.x, m.dx, back.diff_src_layer_desc());
  float* const dwh = all->dw.data() + g.input_weights();
  const dnnl::memory sums[] = {
      backward.writes(DNNL_ARG_DIFF_WEIGHTS_LAYER, ours.wx, all->dw.data(), back.diff_weights_layer_desc()),
      backward.writes(DNNL_ARG_DIFF_WEIGHTS_ITER, ours.wh, dwh, back.diff_weights_iter_desc()),
      backward.writes(DNNL_ARG_DIFF_BIAS, ours.bias, all->db.data(), ours.bias)};
  for (const dnnl::memory& sum : sums) zeros(sum);  // every call accumulates into it
  backward.is(typename Cell::backward(back));
  t.run = [all] { all->backward.run(); };
  t.verify = [all, p] {
    all->forward.deliver();
    all->backward.deliver();
    const recurrent_pass::memory to = p->memory();
    const std::vector<float> dw = other_order<Cell>(p->of, all->dw.data());
    std::ranges::copy(dw, to.dw);
    Cell::bias_gradient(p->of.g.units, all->db.data(), to.db,
                        p->of.reset() == ridgepoint::gru_reset::after ? to.drecurrent_bias : nullptr);
    p->verify();
  };
  t.detail = back.impl_info_str();
  return t;
}

}  // namespace detail

/// Returns the problem by oneDNN's primitives alone: the backward pass with a previously filled workspace. Throws:
/// ridgepoint::backend_error if oneDNN does not support it.
[[nodiscard]] inline task onednn_recurrent_task(const words& w, recurrent_layout laid_out) {
  namespace dnn = ridgepoint::onednn_detail;
  const auto p = std::make_shared<recurrent_problem>(w);
  return dnn::call("create a recurrent layer", [&] {
    const auto with = [&](const auto& cell) { return detail::onednn_recurrent_task(p, cell, laid_out); };
    if (p->of.op == "lstm") return with(dnn::lstm_cell());
    if (p->of.op == "rnn") return with(dnn::rnn_cell());
    return p->of.reset() == ridgepoint::gru_reset::after ? with(dnn::lbr_gru_cell()) : with(dnn::gru_cell());
  });
}

}  // namespace peer
