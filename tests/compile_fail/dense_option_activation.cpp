// SPDX-License-Identifier: MIT
// expect: the option is act, not activation
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace rp = ridgepoint;

int main() {
  const rp::tensor<float> x({2, 3}), w({3, 4});
  rp::tensor<float> y({2, 4});
#ifdef FIXED
  rp::dense(rp::reference, x, w, nullptr, y, {.act = rp::activation::relu});
#else
  rp::dense(rp::reference, x, w, nullptr, y, {.activation = rp::activation::relu});
#endif
}
