// SPDX-License-Identifier: MIT
// expect: gemm: c must be a mutable matrix of float or double
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace rp = ridgepoint;

int main() {
  rp::tensor<float> a({2, 3}), b({3, 4}), c({2, 4});
#ifdef FIXED
  rp::gemm(rp::reference, a, b, c);
#else
  rp::gemm(rp::reference, a, b);
#endif
}
