// SPDX-License-Identifier: MIT
#include <ridgepoint/study/gpu_calibrate.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/models/paradnn.hpp>
#include <ridgepoint/roofline/placement.hpp>
#include <ridgepoint/study/modelled_graph.hpp>
#include <ridgepoint/study/modelled_profile.hpp>

#include "support/near.hpp"
#include "support/reference_data.hpp"

namespace rp = ridgepoint;
namespace study = ridgepoint::study;
using study::fc_shape;

TEST_CASE("gpu fc_step: the closed-form list matches the lowered graph") {
  for (const char* software : {"tensorflow", "recorded"})
    for (const fc_shape s :
         {fc_shape{4, 64, 2000, 200, 64}, fc_shape{8, 1024, 2000, 1000, 1024}, fc_shape{1, 96, 50, 10, 8}}) {
      CAPTURE(s.node);
      rp::gpu::platform p = study::paradnn_gpu();
      p.with = rp::gpu::find_software(software);
      rp::graph net("fc");
      const rp::node logits =
          rp::models::paradnn_fc{.layers = s.layers, .nodes = s.node, .inputs = s.input, .outputs = s.output}.build(
              net);
      const auto plan = rp::plan_training(net, logits, rp::nn::softmax_cross_entropy{}, rp::models::paradnn_rmsprop{},
                                          {.batch = s.batch});
      const rp::gpu::modelled_step lowered = modelled(p, plan), listed = study::fc_step(p, s);
      CHECK(lowered.receipt().matrix_flop == listed.receipt().matrix_flop);
      CHECK(lowered.dispatches == listed.dispatches);
      CHECK(lowered.device_s == near(listed.device_s, 0.01));  // a graph aligns its parameters
      CHECK(lowered.step_s == near(listed.step_s, 0.01));
      CHECK(memory_bytes(p, plan) == near(fc_bytes(p, s), 0.15));
    }
  CHECK_THROWS_AS(static_cast<void>(study::fc_step(study::paradnn_gpu(), fc_shape{4, 0, 100, 10, 80})),
                  rp::shape_error);
}

TEST_CASE("gpu fc_step: more samples, layers or nodes never take less time") {
  const rp::gpu::platform p = study::paradnn_gpu();
  double before = 0;
  for (const rp::index_t batch : {64, 256, 1024, 4096}) {
    const double now = study::fc_step(p, {8, 2048, 2000, 1000, batch}).step_s;
    CHECK(now > before);
    before = now;
    CHECK(study::fc_step(p, {16, 2048, 2000, 1000, batch}).device_s >
          study::fc_step(p, {8, 2048, 2000, 1000, batch}).device_s);
    CHECK(study::fc_step(p, {8, 4096, 2000, 1000, batch}).device_s >
          study::fc_step(p, {8, 2048, 2000, 1000, batch}).device_s);
  }
}

TEST_CASE("gpu profile: rows add up to the step, no point is above its roof, the text says modelled") {
  for (const char* software : {"tensorflow", "recorded"})
    for (const fc_shape s : {fc_shape{4, 8192, 2000, 1000, 4096}, fc_shape{64, 32, 2000, 200, 64}}) {
      rp::gpu::platform p = study::paradnn_gpu();
      p.with = rp::gpu::find_software(software);
      rp::gpu::modelled_step step = study::fc_step(p, s);
      step.title = "fc";
      const rp::profile profile = study::as_profile(step);
      CHECK(std::abs(profile.residual_s()) <= 1e-9 * profile.step_s);
      CHECK(profile.receipt().matrix_flop == step.receipt().matrix_flop);
      CHECK(profile.title.starts_with("modelled"));
      const rp::machine roofs = study::roofs_of(p);
      for (const rp::profile_row& row : profile.rows) {
        CAPTURE(row.layer);
        CHECK_FALSE(place(roofs, profile, row).above_roof);
      }
      const std::string all = study::table(step), few = study::table(step, 3);
      CHECK(all.starts_with("modelled: fc on GPU v100 in f16 with "));
      CHECK(few.find("more)") != std::string::npos);
      CHECK(few.size() < all.size());
    }
}

TEST_CASE("calibrate gpu: constants are recovered from steps made with them, and held-out rows change nothing") {
  rp::gpu::platform truth = study::paradnn_gpu();
  std::vector<study::measured_step> steps;
  for (const rp::index_t layers : {4, 32})
    for (const rp::index_t node : {32, 2048, 8192})
      for (rp::index_t batch = 64; batch <= 16384; batch *= 4) {
        const fc_shape s{layers, node, 2000, 1000, batch};
        steps.push_back({s, study::fc_step(truth, s).step_s});
      }
  const rp::gpu::platform found = study::fit_gpu(study::gpu_fit_start(), steps);
  CHECK(found.on.fit.product_share == near(truth.on.fit.product_share, 0.02));
  CHECK(found.on.fit.stream_share == near(truth.on.fit.stream_share, 0.02));
  CHECK(found.with.host_s_per_op == near(truth.with.host_s_per_op, 0.1));
  CHECK(found.with.feed_s_per_value == near(truth.with.feed_s_per_value, 0.01));
  steps.push_back({{8, 64, 2000, 1000, 64}, 1000});
  CHECK(study::fit_gpu(study::gpu_fit_start(), steps) == found);
  CHECK_THROWS_AS(static_cast<void>(study::fit_gpu(study::gpu_fit_start(), {})), rp::data_error);
}

TEST_CASE("calibrate gpu: other starts give the same constants within 1 %" * doctest::test_suite("reference_data")) {
  const auto steps = study::load_fc_steps((reference_data::folder() / "paradnn_gpu_fc.csv").string());
  const rp::gpu::platform stored = study::paradnn_gpu();
  for (const double scale : {0.6, 1.2}) {
    rp::gpu::platform start = study::gpu_fit_start();
    for (const study::gpu_constant& c : study::gpu_constants()) c.at(start) *= scale;
    const rp::gpu::platform found = study::fit_gpu(start, steps);
    for (const study::gpu_constant& c : study::gpu_constants()) {
      CAPTURE(c.name);
      CHECK(c.of(found) == near(c.of(stored), 0.01));
    }
  }
}

TEST_CASE("calibrate gpu: the constants of V100 and TensorFlow follow from the published rows" *
          doctest::test_suite("reference_data")) {
  const rp::gpu::platform found = study::fit_gpu(reference_data::folder().string()), stored = study::paradnn_gpu();
  for (const study::gpu_constant& c : study::gpu_constants()) {
    CAPTURE(c.name);
    CHECK(c.of(found) == c.of(stored));
  }
}
