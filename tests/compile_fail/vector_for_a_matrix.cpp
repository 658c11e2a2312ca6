// SPDX-License-Identifier: MIT
// expect: an input must be a matrix
#include <vector>

#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace rp = ridgepoint;

int main() {
  const std::vector<float> a(6);
  rp::tensor<float> b({3, 4}), c({2, 4});
#ifdef FIXED
  rp::gemm(rp::reference, rp::matrix_view<const float>(a.data(), 2, 3), b, c);
#else
  rp::gemm(rp::reference, a, b, c);
#endif
}
