// SPDX-License-Identifier: MIT
// Computes the same product with oneDNN.
#include <ridgepoint/onednn/gemm.hpp>

namespace rp = ridgepoint;

int main() {
  const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  float c[4] = {};
  const rp::onednn on;
  const rp::work receipt = rp::gemm<float>(on, {a, 2, 2}, {b, 2, 2}, {c, 2, 2});
  return c[0] == 19 && c[3] == 50 && receipt.flop == 16 ? 0 : 1;
}
