// SPDX-License-Identifier: MIT
#include <ridgepoint/study/calibrate.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/mxu/chips.hpp>

#include "support/reference_data.hpp"

namespace rp = ridgepoint;
namespace tpu = ridgepoint::tpu;
namespace study = ridgepoint::study;

TEST_CASE("calibrate: only networks with 4 or 32 layers and input 2000 may be fitted on") {
  CHECK(study::calibrates({4, 64, 2000, 200, 64}));
  CHECK(study::calibrates({32, 64, 2000, 200, 64}));
  CHECK_FALSE(study::calibrates({8, 64, 2000, 200, 64}));
  CHECK_FALSE(study::calibrates({4, 64, 8000, 200, 64}));
}

TEST_CASE("calibrate: step constants come back from steps made with them, and held-out rows change nothing") {
  tpu::chip on = tpu::find_chip("v2");
  std::vector<study::measured_step> steps;
  for (const rp::index_t layers : {4, 32})
    for (const rp::index_t node : {32, 128, 512, 2048, 8192})
      for (const rp::index_t output : {200, 1000})
        for (rp::index_t batch = 64; batch <= 16384; batch *= 4) {
          const study::fc_shape s{layers, node, 2000, output, batch};
          steps.push_back({s, fc_step(on, s, 8).step_s});
        }
  const tpu::calibration truth = on.fit, found = fit_steps(on, steps);
  CHECK(found.infeed_latency_s == doctest::Approx(truth.infeed_latency_s).epsilon(0.01));
  CHECK(found.infeed_bytes_per_s == doctest::Approx(truth.infeed_bytes_per_s).epsilon(0.01));
  CHECK(found.label_bytes_per_s == doctest::Approx(truth.label_bytes_per_s).epsilon(0.02));
  CHECK(found.loop_s_per_parameter == doctest::Approx(truth.loop_s_per_parameter).epsilon(0.01));
  CHECK(found.infeed_overlap_exponent == doctest::Approx(truth.infeed_overlap_exponent).epsilon(0.05));
  steps.push_back({{8, 64, 2000, 200, 64}, 1000});
  steps.push_back({{4, 64, 8000, 200, 64}, 1e-9});
  CHECK(fit_steps(on, steps) == found);
  CHECK_THROWS_AS(static_cast<void>(study::fit_steps(on, {})), rp::data_error);
  CHECK_THROWS_AS(static_cast<void>(study::fit_ops(on, {})), rp::data_error);
}

TEST_CASE("calibrate: the constants of TPU v2 are what the published rows give" *
          doctest::test_suite("reference_data")) {
  const tpu::chip& on = tpu::find_chip("v2");
  const auto folder = reference_data::folder();
  tpu::calibration found = study::fit_all(on, folder.string());
  CHECK(found == on.fit);
  tpu::chip other = on;  // the start does not matter
  other.fit = {
      .mxu_efficiency = 0.5, .product_stream = 0.5, .copy_stream = on.fit.copy_stream, .source = on.fit.source};
  CHECK(study::fit_all(other, folder.string()) == on.fit);
}
