// SPDX-License-Identifier: MIT
// expect: tensor: elements must be copied as bytes
#include <string>

#include <ridgepoint/core/tensor.hpp>

namespace rp = ridgepoint;

int main() {
#ifdef FIXED
  rp::tensor<char> names({3});
#else
  rp::tensor<std::string> names({3});
#endif
  return static_cast<int>(names.size()) - 3;
}
