// SPDX-License-Identifier: MIT
// expect: recurrent_bias_to: to must be a mutable vector of float or double
#include <vector>

#include <ridgepoint/core/layouts.hpp>

namespace rp = ridgepoint;

int main() {
  const std::vector<float> from(6);
#ifdef FIXED
  std::vector<float> to(6);
#else
  const std::vector<float> to(6);
#endif
  rp::recurrent_bias_to(rp::recurrent_layout::keras, rp::recurrent_cell::gru, from, to);
}
