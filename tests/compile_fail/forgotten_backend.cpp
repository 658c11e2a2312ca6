// SPDX-License-Identifier: MIT
// expect: gemm: the first argument must be a backend that has gemm
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace rp = ridgepoint;

int main() {
  rp::tensor<float> a({2, 3}), b({3, 4}), c({2, 4});
#ifdef FIXED
  rp::gemm(rp::reference, a, b, c);
#else
  rp::gemm(a, b, c);
#endif
}
