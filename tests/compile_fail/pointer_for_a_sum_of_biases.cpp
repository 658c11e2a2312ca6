// SPDX-License-Identifier: MIT
// expect: sum_recurrent_biases: bias must be a mutable vector of float or double
#include <vector>

#include <ridgepoint/core/layouts.hpp>

namespace rp = ridgepoint;

int main() {
  const std::vector<float> b_ih(4), b_hh(4);
  std::vector<float> bias(4);
#ifdef FIXED
  rp::sum_recurrent_biases(b_ih, b_hh, bias);
#else
  rp::sum_recurrent_biases(b_ih, b_hh, bias.data());
#endif
}
