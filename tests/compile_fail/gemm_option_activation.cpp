// SPDX-License-Identifier: MIT
// expect: the option is act, not activation
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace rp = ridgepoint;

int main() {
  const rp::tensor<float> a({2, 3}), b({3, 4});
  rp::tensor<float> c({2, 4});
#ifdef FIXED
  rp::gemm(rp::reference, a, b, c, {.act = rp::activation::relu});
#else
  rp::gemm(rp::reference, a, b, c, {.activation = rp::activation::relu});
#endif
}
