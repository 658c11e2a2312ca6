// SPDX-License-Identifier: MIT
// expect: input and output element types differ
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace rp = ridgepoint;

int main() {
#ifdef FIXED
  rp::tensor<float> a({2, 3}), b({3, 4}), c({2, 4});
#else
  rp::tensor<double> a({2, 3});
  rp::tensor<float> b({3, 4}), c({2, 4});
#endif
  rp::gemm(rp::reference, a, b, c);
}
