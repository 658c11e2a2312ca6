// SPDX-License-Identifier: MIT
// expect: the option is act, not activation
#include <ridgepoint/graph/layers/dense.hpp>

namespace rp = ridgepoint;

int main() {
#ifdef FIXED
  const rp::nn::dense layer{.units = 8, .act = rp::activation::relu};
#else
  const rp::nn::dense layer{.units = 8, .activation = rp::activation::relu};
#endif
  return layer.units == 8 ? 0 : 1;
}
