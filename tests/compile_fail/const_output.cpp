// SPDX-License-Identifier: MIT
// expect: gemm: c must be a mutable matrix of float or double
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace rp = ridgepoint;

int main() {
  const rp::tensor<float> a({2, 3}), b({3, 4});
#ifdef FIXED
  rp::tensor<float> c({2, 4});
#else
  const rp::tensor<float> c({2, 4});
#endif
  rp::gemm(rp::reference, a, b, c);
}
