// SPDX-License-Identifier: MIT
#include <ridgepoint/study/targets/gpu.hpp>

#include <doctest/doctest.h>

#include "falling_short.hpp"
#include "support/near.hpp"
#include "support/reference_data.hpp"

namespace study = ridgepoint::study;
using study::evidence;

TEST_CASE("gpu targets: V100's published step times, and which of V100 and TPU v2 is faster" *
          doctest::test_suite("reference_data")) {
  const auto folder = reference_data::folder();
  const study::target_result steps = evaluate(find_target(study::gpu_targets(), "fc-steps"), folder);
  CHECK(falling_short(steps) == lines{});
  CHECK(steps.rows == 176);
  CHECK(steps.judged(evidence::hold_out) == 3);
  const study::target_result ratio = evaluate(find_target(study::gpu_targets(), "tpu-over-gpu"), folder);
  CHECK(falling_short(ratio) == lines{});
  CHECK(ratio.rows == 176);
  CHECK(ratio.judged(evidence::hold_out) == 2);
  CHECK(line(ratio, "share that the TPU is faster on, both modelled").theirs == near(136.0 / 176));
  const study::target_result weights = evaluate(find_target(study::gpu_targets(), "fc-regression"), folder);
  CHECK(falling_short(weights) == lines{});
  CHECK(weights.rows == 176);
  CHECK(weights.judged(evidence::definitional) == 18);
  CHECK(weights.judged(evidence::hold_out) == 9);
}
