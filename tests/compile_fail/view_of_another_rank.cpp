// SPDX-License-Identifier: MIT
// expect: an input must be a matrix
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace rp = ridgepoint;

int main() {
  rp::tensor<float> image({2, 3, 4}), b({4, 2}), c({6, 2});
#ifdef FIXED
  const rp::tensor_view<const float, 2> a(image.data(), {6, 4});
#else
  const rp::tensor_view<const float, 3> a = image;
#endif
  rp::gemm(rp::reference, a, b, c);
}
