// SPDX-License-Identifier: MIT
// expect: an input must be a vector
#include <list>
#include <vector>

#include <ridgepoint/reference/elementwise.hpp>

namespace rp = ridgepoint;

int main() {
  std::vector<float> y(8);
#ifdef FIXED
  const std::vector<float> x(8);
#else
  const std::list<float> x(8);
#endif
  rp::activate(rp::reference, rp::activation::relu, x, y);
}
