// SPDX-License-Identifier: MIT
#include <ridgepoint/study/calibrate.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/mxu/chips.hpp>

#include "support/near.hpp"
#include "support/reference_data.hpp"

namespace rp = ridgepoint;
namespace tpu = ridgepoint::tpu;
namespace study = ridgepoint::study;

TEST_CASE("calibrate: only networks with 4 or 32 layers and input 2000 are fitted") {
  CHECK(study::calibrates({4, 64, 2000, 200, 64}));
  CHECK(study::calibrates({32, 64, 2000, 200, 64}));
  CHECK_FALSE(study::calibrates({8, 64, 2000, 200, 64}));
  CHECK_FALSE(study::calibrates({4, 64, 8000, 200, 64}));
}

TEST_CASE("calibrate: step constants are recovered from steps made with them, and held-out rows change nothing") {
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
  CHECK(found.infeed_latency_s == near(truth.infeed_latency_s, 0.01));
  CHECK(found.infeed_bytes_per_s == near(truth.infeed_bytes_per_s, 0.01));
  CHECK(found.label_bytes_per_s == near(truth.label_bytes_per_s, 0.02));
  CHECK(found.loop_s_per_parameter == near(truth.loop_s_per_parameter, 0.01));
  CHECK(found.infeed_overlap_exponent == near(truth.infeed_overlap_exponent, 0.05));
  steps.push_back({{8, 64, 2000, 200, 64}, 1000});
  steps.push_back({{4, 64, 8000, 200, 64}, 1e-9});
  CHECK(fit_steps(on, steps) == found);
  CHECK_THROWS_AS(static_cast<void>(study::fit_steps(on, {})), rp::data_error);
  CHECK_THROWS_AS(static_cast<void>(study::fit_ops(on, {})), rp::data_error);
}

TEST_CASE("calibrate: the constants of TPU v2 follow from the published rows" * doctest::test_suite("reference_data")) {
  const tpu::chip& on = tpu::find_chip("v2");
  CHECK(study::fit_all(on, reference_data::folder().string()) == on.fit);
}

TEST_CASE("calibrate: every start gives the same op constants, and step constants within 1 %" *
          doctest::test_suite("reference_data")) {
  const tpu::chip& on = tpu::find_chip("v2");
  const auto folder = reference_data::folder().string();
  const auto moves = [](const char* name, double found, double usual) {
    CAPTURE(name);
    CHECK(found == near(usual, 0.01));
  };
  const tpu::calibration low{.mxu_efficiency = 0.5,
                             .product_stream = 0.5,
                             .all_reduce_latency_s = 0,
                             .infeed_latency_s = 0,
                             .infeed_bytes_per_s = 1.7e9,
                             .label_bytes_per_s = 1.4e9,
                             .infeed_overlap_exponent = 1.5,
                             .loop_s_per_parameter = 0,
                             .source = {}},
      high{.mxu_efficiency = 0.75,
           .product_stream = 1,
           .all_reduce_latency_s = 20e-6,
           .infeed_latency_s = 6e-3,
           .infeed_bytes_per_s = 6.6e9,
           .label_bytes_per_s = 40e9,
           .infeed_overlap_exponent = 16,
           .loop_s_per_parameter = 300e-12,
           .source = {}};
  for (const tpu::calibration& start : {low, high}) {
    tpu::calibration found = study::fit_all(on, folder, start);
    moves("infeed_latency_s", found.infeed_latency_s, on.fit.infeed_latency_s);
    moves("infeed_bytes_per_s", found.infeed_bytes_per_s, on.fit.infeed_bytes_per_s);
    moves("label_bytes_per_s", found.label_bytes_per_s, on.fit.label_bytes_per_s);
    moves("infeed_overlap_exponent", found.infeed_overlap_exponent, on.fit.infeed_overlap_exponent);
    moves("loop_s_per_parameter", found.loop_s_per_parameter, on.fit.loop_s_per_parameter);
    found.infeed_latency_s = on.fit.infeed_latency_s;
    found.infeed_bytes_per_s = on.fit.infeed_bytes_per_s;
    found.label_bytes_per_s = on.fit.label_bytes_per_s;
    found.infeed_overlap_exponent = on.fit.infeed_overlap_exponent;
    found.loop_s_per_parameter = on.fit.loop_s_per_parameter;
    CHECK(found == on.fit);  // the other constants match in all four digits
  }
}
