// SPDX-License-Identifier: MIT
// expect: add: y must be a mutable vector of float or double
#include <vector>

#include <ridgepoint/reference/elementwise.hpp>

namespace rp = ridgepoint;

int main() {
  const std::vector<float> a(8), b(8);
#ifdef FIXED
  std::vector<float> y(8);
#else
  const std::vector<float> y(8);
#endif
  rp::add(rp::reference, a, b, y);
}
