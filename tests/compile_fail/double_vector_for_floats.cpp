// SPDX-License-Identifier: MIT
// expect: input and output element types differ
#include <vector>

#include <ridgepoint/reference/elementwise.hpp>

namespace rp = ridgepoint;

int main() {
  std::vector<float> b(8), y(8);
#ifdef FIXED
  const std::vector<float> a(8);
#else
  const std::vector<double> a(8);
#endif
  rp::add(rp::reference, a, b, y);
}
