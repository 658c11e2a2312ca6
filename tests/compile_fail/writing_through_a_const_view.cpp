// SPDX-License-Identifier: MIT
// expect: gemm: c must be a mutable matrix of float or double
#include <ridgepoint/reference/gemm.hpp>

namespace rp = ridgepoint;

int main() {
#ifdef FIXED
  float result[4] = {};
  rp::matrix_view<float> c(result, 2, 2);
#else
  const float result[4] = {};
  rp::matrix_view<const float> c(result, 2, 2);
#endif
  const float x[4] = {};
  rp::gemm<float>(rp::reference, {x, 2, 2}, {x, 2, 2}, c);
}
