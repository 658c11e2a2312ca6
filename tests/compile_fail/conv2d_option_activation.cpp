// SPDX-License-Identifier: MIT
// expect: an activation follows the options
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/ops/conv2d.hpp>
#include <ridgepoint/reference/convolution.hpp>

namespace rp = ridgepoint;

int main() {
  const rp::tensor<float> x({1, 4, 4, 3}), w({3, 3, 3, 8});
  rp::tensor<float> y({1, 2, 2, 8});
#ifdef FIXED
  rp::conv2d(rp::reference, x, w, nullptr, y, {}, rp::activation::relu);
#else
  rp::conv2d(rp::reference, x, w, nullptr, y, {.activation = rp::activation::relu});
#endif
}
