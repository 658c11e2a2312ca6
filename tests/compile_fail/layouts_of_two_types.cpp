// SPDX-License-Identifier: MIT
// expect: reset_after_biases_from_onednn: recurrent_bias must be a mutable vector of the elements of bias
#include <vector>

#include <ridgepoint/core/layouts.hpp>

namespace rp = ridgepoint;

int main() {
  const std::vector<float> from(8);
  std::vector<float> bias(6);
#ifdef FIXED
  std::vector<float> recurrent_bias(6);
#else
  std::vector<double> recurrent_bias(6);
#endif
  rp::reset_after_biases_from_onednn(from, bias, recurrent_bias);
}
