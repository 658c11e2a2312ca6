// SPDX-License-Identifier: MIT
// expect: gemm: c must be a mutable matrix of float or double
#include <vector>

#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace rp = ridgepoint;

int main() {
  rp::tensor<float> a({2, 3}), b({3, 4});
  std::vector<float> c(8);
#ifdef FIXED
  rp::gemm(rp::reference, a, b, rp::matrix_view<float>(c.data(), 2, 4));
#else
  rp::gemm(rp::reference, a, b, c);
#endif
}
