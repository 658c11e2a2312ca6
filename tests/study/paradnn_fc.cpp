// SPDX-License-Identifier: MIT
#include <ridgepoint/study/paradnn_fc.hpp>

#include <doctest/doctest.h>

#include <map>

#include <ridgepoint/models/paradnn.hpp>
#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/study/modelled_graph.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
using rp::study::fc_shape;

namespace {

/// Seconds of a step by pass and by whether the op multiplies matrices.
std::map<std::pair<rp::pass, bool>, double> seconds(const rp::tpu::modelled_step& step) {
  std::map<std::pair<rp::pass, bool>, double> sums;
  for (const rp::tpu::modelled_op& op : step.ops) sums[{op.pass, op.receipt.matrix_flop > 0}] += op.total_s();
  return sums;
}

}  // namespace

TEST_CASE("fc_step: the closed-form list matches the lowered graph") {
  for (const char* chip : {"v2", "v3"})
    for (const rp::index_t cores : {1, 8})
      for (const fc_shape s : {fc_shape{4, 64, 2000, 200, 64}, fc_shape{8, 1024, 2000, 1000, 1024},
                               fc_shape{5, 2048, 8000, 1000, 16384}, fc_shape{1, 96, 50, 10, 8}}) {
        CAPTURE(chip);
        CAPTURE(cores);
        CAPTURE(s.node);
        const rp::tpu::chip& on = rp::tpu::find_chip(chip);
        rp::graph net("fc");
        const rp::node logits =
            rp::models::paradnn_fc{.layers = s.layers, .nodes = s.node, .inputs = s.input, .outputs = s.output}.build(
                net);
        const auto plan = rp::plan_training(net, logits, rp::nn::softmax_cross_entropy{}, rp::models::paradnn_rmsprop{},
                                            {.batch = s.batch / cores});
        const rp::tpu::modelled_step lowered = modelled(on, plan, cores), listed = fc_step(on, s, cores);
        CHECK(lowered.receipt().matrix_flop == listed.receipt().matrix_flop);
        CHECK(lowered.infeed.elapsed_s == listed.infeed.elapsed_s);
        CHECK(lowered.loop_s == listed.loop_s);
        const auto a = seconds(lowered), b = seconds(listed);
        CHECK(a.size() == b.size());
        for (const auto& [kind, s_of] : a) CHECK(s_of == near(b.at(kind), 1e-9));
        CHECK(lowered.step_s == near(listed.step_s, 1e-9));
      }
}

TEST_CASE("fc_shape: labels and counts") {
  const fc_shape s = rp::study::parse_fc_label("layer_16-node_256-input_2000-output_1000-bs_2048-loop fusion");
  CHECK(s == fc_shape{16, 256, 2000, 1000, 2048});
  CHECK(fc_shape{4, 512, 2000, 1000, 64}.parameters() == 2'325'480);
  for (const char* bad : {"", "layer_", "layer_4-node_8", "layer_4-node_x-input_1-output_1-bs_1",
                          "layer_0-node_1-input_1-output_1-bs_1", "layer_4-node_1-input_1-output_1-bs_99999999999"})
    CHECK_THROWS_AS(static_cast<void>(rp::study::parse_fc_label(bad)), rp::data_error);
}

TEST_CASE("fc_step: refuses batches and cores that a board cannot run") {
  const rp::tpu::chip& on = rp::tpu::find_chip("v2");
  const fc_shape s{4, 64, 100, 10, 100};
  CHECK_THROWS_WITH_AS(static_cast<void>(fc_step(on, s, 8)), doctest::Contains("batch of 100 on 8 cores"),
                       rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(fc_step(on, s, 16)), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(fc_step(on, s, 0)), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(fc_step(on, fc_shape{4, 0, 100, 10, 80}, 8)), rp::shape_error);
}

TEST_CASE("fc_step: larger batches never lower utilisation, more cores never slow a step, times respect the roofs") {
  const rp::tpu::chip& on = rp::tpu::find_chip("v2");
  for (const rp::index_t node : {32, 512, 8192})
    for (const rp::index_t layers : {4, 64}) {
      double before = 0;
      for (rp::index_t batch = 64; batch <= 16384; batch *= 2) {
        const fc_shape s{layers, node, 2000, 1000, batch};
        const rp::tpu::modelled_step step = fc_step(on, s, 8);
        CHECK(step.utilisation() >= before);
        CHECK(step.utilisation() <= 1);
        CHECK(step.device_s - step.bound_s(rp::tpu::bound::ici) <= fc_step(on, s, 1).device_s);
        before = step.utilisation();
        for (const rp::tpu::modelled_op& op : step.ops) {
          CHECK(op.utilisation <= 1);
          CHECK(op.elapsed_s >= op.least_s());
          CHECK(static_cast<double>(op.receipt.flop) / op.elapsed_s <= op.roof_flop_per_s * (1 + 1e-12));
        }
      }
    }
}
