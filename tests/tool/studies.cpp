// SPDX-License-Identifier: MIT
// Checks the command's own comparisons with published networks, of `ridgepoint validate tpu` and `validate gpu`.
#include <doctest/doctest.h>

#include "ridgepoint/gpu_targets.hpp"
#include "ridgepoint/tpu_targets.hpp"
#include "study/targets/falling_short.hpp"
#include "support/near.hpp"

namespace study = ridgepoint::study;
using study::evidence;

TEST_CASE("cnn-rnn: the maxima of ParaDnn's sweeps; only CNN on 8 cores falls short" * doctest::test_suite("slow")) {
  const study::target_result r = tool::compare_graphs({});
  CHECK(r.rows == 0);  // modelled networks are not data
  CHECK(r.judged() == 4);
  CHECK(falling_short(r) == lines{"CNN on 8 cores, highest, % of 180 TFLOP/s"});
  const auto ours = [&](const char* what) { return line(r, what).ours; };
  const double all = ours("CNN on 8 cores, highest, % of 180 TFLOP/s"),
               bottleneck = ours("the same, bottleneck blocks and 64 filters only");
  CHECK(all > bottleneck);  // a maximum over more networks
  CHECK(line(r, "the same, bottleneck blocks and 64 filters only").wanted == study::demand::none);  // an alternate
  CHECK(all <= 100 * 183.5 / 180);
  const double resnet = ours("ResNet-50, the same, % of 180 TFLOP/s");
  const double images_per_s = ours("ResNet-50, batch 1024 on 8 cores, images/s (published: about 3000)");
  CHECK(resnet / images_per_s ==
        near(6 * 4.09e9 / 180e12 * 100, 0.03));  // 4.09 GMAC per image, three passes, except conv 1's dx
}

TEST_CASE("gpu targets: Keras' time per step matches study D's mnist_mlp on K80; the other totals are shown") {
  const study::target_result d = tool::compare_study_d({});
  CHECK(line(d, "keras-mnist-mlp, s; K80, July").ours == near(65.1, 0.01));
  CHECK(basis_of(d, "keras-mnist-mlp, s; K80, July") == evidence::calibration);
  CHECK(d.lines.size() == 19);
  CHECK(d.judged() == 0);
  for (const study::comparison& c : d.lines) CHECK(c.ours > 0);
}
