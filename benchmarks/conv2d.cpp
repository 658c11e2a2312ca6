// SPDX-License-Identifier: MIT
// bench_conv2d: the three passes of the convolutions in shapes/conv_3x3.csv and conv_other.csv.
#include "images.hpp"

#if defined(RIDGEPOINT_HAS_ONEDNN)
#include "measurement/peers/onednn_convolution.hpp"
#endif

namespace {

/// Adds oneDNN's own convolution, in each of its configurations.
void add_library([[maybe_unused]] const std::string& op, [[maybe_unused]] const peer::words& problem,
                 [[maybe_unused]] const std::string& shape, [[maybe_unused]] const ridgepoint::work& receipt) {
#if defined(RIDGEPOINT_HAS_ONEDNN)
  for (const peer::onednn_way& way : peer::onednn_ways)
    suite::add(op, ridgepoint::concat("onednn.", way.label), shape, receipt,
               [problem, way] { return peer::onednn_convolution_task(problem, way); });
#endif
}

}  // namespace

void register_benchmarks();
void register_benchmarks() {
  suite::threads();
  for (const char* file : {"conv_3x3.csv", "conv_other.csv"})
    suite::add_images(file, measurement::columns::conv, {"forward", "backward-data", "backward-weights"}, add_library);
}
