// SPDX-License-Identifier: MIT
#include <ridgepoint/study/modelled_profile.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/roofline/placement.hpp>
#include <ridgepoint/study/paradnn_fc.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace study = ridgepoint::study;

TEST_CASE("profile of a modelled step: rows add up to the step, no point is above its roof") {
  for (const char* chip : {"v2", "v2-spec", "v3", "v3-spec"})
    for (const study::fc_shape s :
         {study::fc_shape{4, 8192, 8000, 1000, 16384}, study::fc_shape{64, 32, 2000, 200, 64}}) {
      const rp::tpu::chip& on = rp::tpu::find_chip(chip);
      rp::tpu::modelled_step step = fc_step(on, s, 8);
      step.title = "fc";
      const rp::profile p = study::as_profile(step, on.dtype);
      const rp::machine roofs = study::roofs_of(on, 8);
      CHECK(std::abs(p.residual_s()) <= 1e-9 * p.step_s);
      CHECK(p.receipt().matrix_flop == step.receipt().matrix_flop);
      CHECK(p.title.starts_with("modelled"));
      for (const rp::profile_row& row : p.rows) {
        CAPTURE(row.layer);
        CHECK_FALSE(place(roofs, p, row).above_roof);
      }
      CHECK(p.launches() > 0);
      CHECK(roofs.launch_s == on.fit.op_latency_s);
    }
}

TEST_CASE("table of a modelled step: equal ops share a line, the rest is summed") {
  const rp::tpu::chip& on = rp::tpu::find_chip("v2");
  rp::tpu::modelled_step step = study::fc_step(on, {8, 1024, 2000, 1000, 1024}, 8);
  step.title = "fc";
  const std::string all = study::table(step), few = study::table(step, 3);
  CHECK(all.starts_with("modelled: fc on TPU v2, 8 cores, batch 1024"));
  CHECK(all.find("128x1024 * 1024x1024") == std::string::npos);  // a list, not a graph: shapes as printed by the model
  CHECK(all.find("128x1024x1024") != std::string::npos);
  CHECK(few.find("more)") != std::string::npos);
  CHECK(few.size() < all.size());
}

TEST_CASE("roofs of a chip: the ridge points of its cores") {
  const rp::machine m = study::roofs_of(rp::tpu::find_chip("v2"), 8);
  CHECK(m.ridge_points({.dtype = "bf16"}).front().flop_per_byte() == near(183.5 / 2.4, 1e-3));
  CHECK(m.name == "TPU v2, 8 cores (model)");
}
